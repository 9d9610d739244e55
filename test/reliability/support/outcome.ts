import { AgentPlatformError } from 'agent-platform-sdk';

/** The end of a call. No other is allowed. */
export type Outcome =
  | { readonly type: 'value'; readonly value: unknown }
  | { readonly type: string; readonly error: AgentPlatformError };

/** Far more than any call of these tests is given: what has not ended by then hangs. */
const HANGS_AFTER = 120_000;

/** Waits for the end of a call. Rejects where it hangs, or ends in anything but one of the package's errors. */
export async function outcomeOf(call: Promise<unknown>): Promise<Outcome> {
  try {
    return { type: 'value', value: await ending(call) };
  } catch (error) {
    if (!(error instanceof AgentPlatformError)) throw error;
    return { type: error.type, error };
  }
}

async function ending<Value>(call: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const hanging = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`did not end within ${HANGS_AFTER} ms`)), HANGS_AFTER);
  });
  try {
    return await Promise.race([call, hanging]);
  } finally {
    clearTimeout(timer);
  }
}

/** True where the service may have acted. */
export const isUnknown = (outcome: Outcome): boolean => 'error' in outcome && outcome.error.outcomeUnknown;

/** Counts the outcomes of each kind. */
export function tally(outcomes: readonly Outcome[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { type } of outcomes) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}
