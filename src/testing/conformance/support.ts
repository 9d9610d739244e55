import { sleep } from '../../utils/waiting.js';

const EVENTUALLY_TIMEOUT_MS = 20_000;
const POLL_INTERVAL_MS = 20;

/** Waits until a check is true. */
export async function eventually(what: string, check: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + EVENTUALLY_TIMEOUT_MS;
  while (!(await check())) {
    if (Date.now() > end) throw new Error(`expected that ${what}, within ${EVENTUALLY_TIMEOUT_MS} ms`);
    await sleep(POLL_INTERVAL_MS);
  }
}

export function expectSame<Value>(actual: Value, expected: Value): void {
  if (actual !== expected) throw new Error(`expected ${String(expected)}, got ${String(actual)}`);
}

/** A key like the receiver's: 64 hexadecimal digits. A store that cases share sees each key once. */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
