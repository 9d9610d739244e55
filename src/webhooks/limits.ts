/** The most bytes of a body that are read: 16 MiB. The document names no limit. */
export const DEFAULT_MAX_BODY_BYTES = 16 * 1024 * 1024;
/** Milliseconds until a delivery is answered, finished or not. The service waits 60 seconds (document, 6.4). */
export const DEFAULT_DEADLINE = 55_000;
/** Milliseconds for which an event that was handled is remembered: 24 hours. */
export const DEFAULT_WINDOW = 86_400_000;
/** Milliseconds after which a claim whose owner died is free again. */
export const DEFAULT_LEASE = 10_000;
/** Handled events that the memory store remembers at most. */
export const DEFAULT_MAX_KEYS = 100_000;
