import { AgentPlatform, type AgentPlatformOptions, type Endpoint, endpoints } from 'agent-platform-sdk';
import type * as z from 'zod/mini';
import { operations as everyCall } from '../support/operations.js';

/** A client whose service answers every call with one text, and what was sent. */
export function answering(text: string, options: AgentPlatformOptions = {}) {
  const sent: string[] = [];
  const platform = new AgentPlatform({
    region: 'eu',
    token: 'token-of-the-reliability-tests',
    baseUrls: { eu: 'https://eu.service.example' },
    logLevel: 'off',
    maxRetries: 0,
    fetch: (url) => {
      sent.push(url);
      return Promise.resolve(new Response(text, { headers: { 'content-type': 'application/json' } }));
    },
    ...options,
  });
  return { platform, sent };
}

/** One of the seven operations, with the schema of its whole answer. */
export interface Operation {
  readonly name: string;
  readonly schema: z.core.$ZodType;
  readonly unwrap: (body: unknown) => unknown;
  readonly call: (platform: AgentPlatform) => Promise<unknown>;
}

export const operations: readonly Operation[] = everyCall.map(({ name, call }) => {
  // The names are those of the endpoints; a list of all endpoints knows no types of their bodies.
  const { schema, unwrap } = (endpoints[name as keyof typeof endpoints] as Endpoint).response;
  // The schemas of the documented endpoints are Zod's.
  return { name, schema: schema as never, unwrap, call: (platform) => call(platform) };
});

/** The body that says that an operation succeeded: `success` and `isGood` are read as its outcome. */
export function succeeding(body: unknown): Record<string, unknown> {
  const sent = body as Record<string, unknown>;
  const said = (field: string) => (field in sent ? { [field]: true } : {});
  return { ...sent, ...said('success'), ...said('isGood') };
}
