import { AgentPlatform, type AgentPlatformError, type AgentPlatformOptions } from 'agent-platform-sdk';
import { expect } from 'vitest';

export const TOKEN = 'workspace-secret-of-the-tests';

/** A client that calls an address once, and logs nothing. */
export function connect(url: string, options: AgentPlatformOptions = {}): AgentPlatform {
  return new AgentPlatform({
    region: 'eu',
    token: TOKEN,
    baseUrls: { eu: url, na: url },
    logLevel: 'off',
    maxRetries: 0,
    ...options,
  });
}

/** The envelope of a success (specification, 2.7). */
export const success = (data: unknown) => ({ success: true, message: 'ok', data });

/** The reason that a promise was rejected with; a fulfilled one fails the test. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('expected a rejection');
}

const calls: readonly [method: string, call: (platform: AgentPlatform) => Promise<unknown>][] = [
  ['POST', (platform) => platform.variables.create('a1', { key: 'k' })],
  ['DELETE', (platform) => platform.workspaces.delete('w1')],
  ['GET', (platform) => platform.tools.get('t1')],
];

/** Expects that the error of a POST and of a DELETE says whether the service may have acted. That of a GET never says so. */
export async function expectOutcome(
  connected: () => Promise<AgentPlatform>,
  unknown: boolean,
): Promise<void> {
  for (const [method, call] of calls) {
    // Every error of a call is one.
    const error = (await rejectionOf(call(await connected()))) as AgentPlatformError;
    expect(error.outcomeUnknown, `${method}: ${error.message}`).toBe(method !== 'GET' && unknown);
    expect(error.message.includes('look before you try again')).toBe(error.outcomeUnknown);
  }
}
