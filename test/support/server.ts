import { AgentPlatform, type AgentPlatformOptions } from 'agent-platform-sdk';
import { freePort } from './free-port.js';

/** Creates a client for an address on loopback, without msw. It makes one attempt, and logs nothing. */
export function connect(url: string, options: AgentPlatformOptions = {}): AgentPlatform {
  return new AgentPlatform({
    region: 'eu',
    token: 'workspace-secret-of-the-tests',
    baseUrls: { eu: url, na: url },
    logLevel: 'off',
    maxRetries: 0,
    ...options,
  });
}

/** The envelope of a successful response (specification, 2.7). */
export const success = (data: unknown) => ({ success: true, message: 'ok', data });

/** Returns the reason of a rejected promise. A fulfilled promise fails the test. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('expected a rejection');
}

/** Returns an address on loopback where nothing listens. */
export async function closedAddress(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}`;
}
