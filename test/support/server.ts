import type { IncomingMessage, ServerResponse } from 'node:http';
import { AgentPlatform, type AgentPlatformOptions } from 'agent-platform-sdk';
import { freePort } from './free-port.js';
import { serve } from './loopback.js';

export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Respond = (
  request: ReceivedRequest,
  response: ServerResponse,
  attempt: number,
) => void | Promise<void>;

export interface TestServer {
  readonly url: string;
  readonly requests: ReceivedRequest[];
}

/** Starts a real HTTP server on loopback for one test: for what msw cannot show. */
export async function startServer(respond: Respond): Promise<TestServer> {
  const requests: ReceivedRequest[] = [];
  const url = await serve(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const request = {
      method: incoming.method ?? '',
      url: incoming.url ?? '',
      headers: incoming.headers,
      body: Buffer.concat(chunks).toString(),
    };
    requests.push(request);
    await respond(request, response, requests.length);
  });
  return { url, requests };
}

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

/** Starts a server with one way to respond, and creates a client for it. */
export async function connectTo(
  respond: Respond,
  options: AgentPlatformOptions = {},
): Promise<{ platform: AgentPlatform; server: TestServer }> {
  const server = await startServer(respond);
  return { platform: connect(server.url, options), server };
}

/** Returns an address on loopback where nothing listens. */
export async function closedAddress(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}`;
}
