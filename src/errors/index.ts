// The exception classes, by what happened: there was a response; there was none, or nothing was sent; a webhook came. The two of an
// inbox are exported by `agent-platform-sdk/bullmq`.
export {
  ApiError,
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
} from './answered.js';
export { AgentPlatformError, type ErrorType } from './base.js';
export {
  AbortError,
  ConfigurationError,
  ConnectionError,
  HookError,
  RequestValidationError,
  TimeoutError,
} from './unanswered.js';
export * from './webhook.js';
