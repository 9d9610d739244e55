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

export type Answer = (
  request: ReceivedRequest,
  response: ServerResponse,
  attempt: number,
) => void | Promise<void>;

export interface TestServer {
  readonly url: string;
  readonly requests: ReceivedRequest[];
}

/** A real HTTP server on loopback, for the length of one test: for what msw cannot show. */
export async function startServer(answer: Answer): Promise<TestServer> {
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
    await answer(request, response, requests.length);
  });
  return { url, requests };
}

/** A client of an address on loopback, without msw. It makes one attempt, and logs nothing. */
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

/** A client of a server that gives one answer, and the server. */
export async function connectTo(
  answer: Answer,
  options: AgentPlatformOptions = {},
): Promise<{ platform: AgentPlatform; server: TestServer }> {
  const server = await startServer(answer);
  return { platform: connect(server.url, options), server };
}

/** An address on loopback where nothing listens. */
export async function closedAddress(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}`;
}
