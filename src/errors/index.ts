// Every exception class, by what it tells of: no answer came, or nothing was sent; an answer came; a webhook was received.
export * from './answered.js';
export * from './base.js';
export * from './unanswered.js';
export * from './webhook.js';
