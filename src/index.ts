export { endpoint, withData, withoutData } from './endpoint.js';
export type {
  Endpoint,
  EndpointDeclaration,
  EndpointInput,
  HttpMethod,
  PathParameter,
  ResponseShape,
} from './endpoint.js';
export * from './errors.js';
