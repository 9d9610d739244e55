// Every exception class, by what it tells of: nothing was sent, no answer came, an answer came, a webhook was received.
export * from './answered.js';
export * from './api.js';
export * from './base.js';
export * from './connection.js';
export * from './not-sent.js';
export * from './webhook.js';
