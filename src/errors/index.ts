// The errors of calls and webhooks. Those of an inbox are exported by its entry point.

export { AgentPlatformError, type ErrorType } from './base.js';
export * from './request.js';
export * from './response.js';
export * from './webhook.js';
