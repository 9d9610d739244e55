// The errors of calls and webhooks. Those of an inbox are exported by its entry point.

export { AgentPlatformError, type ErrorType } from './base.js';
export {
  AbortError,
  ConfigurationError,
  ConnectionError,
  HookError,
  RequestValidationError,
  TimeoutError,
} from './request.js';
export {
  ApiError,
  type ApiErrorIssue,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  NotFoundError,
  OperationFailedError,
  PermissionDeniedError,
  RateLimitError,
  ResponseValidationError,
  ServerError,
  UnprocessableEntityError,
} from './response.js';
export * from './webhook.js';
