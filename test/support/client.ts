import { AgentPlatform, type AgentPlatformOptions } from 'agent-platform-sdk';

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

/** The envelope of a success (document, 2.7). */
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
