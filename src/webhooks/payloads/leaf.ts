import * as z from 'zod/mini';

/** Every payload carries it: milliseconds since the Unix epoch (document, 6.1). */
export const createdAt = z.number();

/** The `operation` of the agent, organisation and client events: a closed set (document, 6.3). */
export const lifecycleOperation = z.enum(['created', 'updated', 'deleted']);
