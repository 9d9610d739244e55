// Every exception class, by what it tells of: nothing was sent, no answer came, an answer came, a webhook was received.
export * from './errors/answered.js';
export * from './errors/api.js';
export * from './errors/base.js';
export * from './errors/connection.js';
export * from './errors/not-sent.js';
export * from './errors/webhook.js';
