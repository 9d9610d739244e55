import * as errors from './response.js';

const CLASSES: Readonly<Record<number, typeof errors.ApiError>> = {
  400: errors.BadRequestError,
  401: errors.AuthenticationError,
  403: errors.PermissionDeniedError,
  404: errors.NotFoundError,
  409: errors.ConflictError,
  422: errors.UnprocessableEntityError,
  429: errors.RateLimitError,
};

/** Returns the class for a status: `NotFoundError` for 404, `ServerError` for any 5xx, else `ApiError`. */
export function classOfStatus(status: number): typeof errors.ApiError {
  return CLASSES[status] ?? (status >= 500 ? errors.ServerError : errors.ApiError);
}
