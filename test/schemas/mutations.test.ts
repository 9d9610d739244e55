import {
  AgentPlatform,
  type Drift,
  OperationFailedError,
  parseWebhook,
  ResponseValidationError,
  type ValidationMode,
  type WebhookEventType,
  WebhookPayloadError,
  webhookEvents,
} from 'agent-platform-sdk';
import { fixtures } from 'agent-platform-sdk/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';

const secret = 'secret-of-the-mutations';
const done = { success: true, message: 'ok' };

/** Responses with every field of a record, and the call of each. */
const responses: readonly [
  name: string,
  body: object,
  call: (platform: AgentPlatform) => Promise<unknown>,
][] = [
  [
    'members and teams',
    { ...done, clients: [fixtures.orgClient()], teams: [fixtures.team()] },
    (platform) => platform.orgs.listMembersAndTeams('o1'),
  ],
  [
    'a variable',
    { ...done, data: fixtures.variable() },
    (platform) => platform.variables.create('a1', { key: 'k' }),
  ],
  [
    'a release',
    { isGood: true, errors: '' },
    (platform) => platform.phoneNumbers.release({ phoneNumberSid: 'p1', isImportedNumber: false }),
  ],
  ['default tools', { ...done, data: [fixtures.defaultTool()] }, (platform) => platform.tools.listDefaults()],
  ['a tool', { ...done, data: fixtures.tool() }, (platform) => platform.tools.get('t1')],
  [
    'a conversation',
    { ...done, data: fixtures.conversation() },
    (platform) => platform.conversations.get({ agentId: 'a1', convoId: 'c1' }),
  ],
];

/** A value with one place changed: another value in it, nothing, or a new field beside it. */
function mutated<Value extends object>(value: Value): fc.Arbitrary<Value> {
  const change = fc.oneof(
    fc.constant('remove' as const),
    fc.record({ replace: fc.jsonValue({ maxDepth: 2 }) }),
    fc.record({ add: fc.jsonValue({ maxDepth: 2 }) }),
  );
  return fc.tuple(fc.constantFrom(...pathsIn(value)), change).map(([path, how]) => {
    const copy = structuredClone(value);
    const key = path.at(-1) ?? '';
    // The path was read from the value.
    const parent = path.slice(0, -1).reduce<unknown>((part, name) => part?.[name as never], copy) as object;
    if (how === 'remove') Reflect.deleteProperty(parent, key);
    else if ('add' in how) Object.assign(parent, Array.isArray(parent) ? [how.add] : { aNewField: how.add });
    else Object.assign(parent, { [key]: how.replace });
    return copy;
  });
}

function pathsIn(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => [
    [key],
    ...pathsIn(part).map((path) => [key, ...path]),
  ]);
}

/** What one mode makes of a value. */
interface Verdict {
  readonly ok: boolean;
  readonly drift: number;
}

/** Reads a value in one mode. Anything but a value or the expected errors is thrown. */
type Read = (mode: ValidationMode, onDrift: (drift: Drift) => void) => Promise<unknown>;

async function verdictOf(read: Read, mode: ValidationMode): Promise<Verdict> {
  let drift = 0;
  try {
    await read(mode, ({ issues }) => {
      drift += issues.length;
    });
    return { ok: true, drift };
  } catch (error) {
    const isExpected = error instanceof ResponseValidationError || error instanceof WebhookPayloadError;
    if (!isExpected) throw error;
    expect(error.issues).not.toEqual([]);
    return { ok: false, drift };
  }
}

/** Expects what the modes promise of each other. */
async function expectModesAgree(read: Read): Promise<void> {
  const [strict, tolerant, report] = await Promise.all(
    (['strict', 'tolerant', 'report'] as const).map((mode) => verdictOf(read, mode)),
  );
  expect(report).toEqual({ ok: true, drift: strict?.ok ? 0 : expect.any(Number) });
  if (strict?.ok) expect(tolerant).toEqual({ ok: true, drift: 0 });
  else {
    expect(report?.drift).toBeGreaterThan(0);
    if (tolerant?.ok) expect(tolerant.drift).toBeGreaterThan(0);
  }
}

test.each(responses)(
  '%s changed in one place ends as an issue, as drift or as sent',
  async (_, body, call) => {
    const agree = fc.asyncProperty(mutated(body), (sent) =>
      expectModesAgree(async (validation, onDrift) => {
        const text = JSON.stringify(sent);
        const platform = new AgentPlatform({
          region: 'eu',
          token: 'token-of-the-mutations',
          baseUrls: { eu: 'https://service.test' },
          logLevel: 'off',
          validation,
          hooks: { onDrift },
          fetch: async () => new Response(text),
        });
        const value = await call(platform).catch((error: unknown) => {
          // `success: false` is the outcome of the operation, in every mode.
          if (!(error instanceof OperationFailedError)) throw error;
          return undefined;
        });
        // What a call resolves with is a part of the body, as sent.
        if (value !== undefined) expect(text).toContain(JSON.stringify(value).slice(1, -1));
      }),
    );
    await fc.assert(agree, { numRuns: 50 });
  },
);

test.each(Object.keys(webhookEvents) as WebhookEventType[])(
  'a %s changed in one place ends as an issue, as drift or as sent',
  async (type) => {
    const agree = fc.asyncProperty(mutated(fixtures.event(type).payload), (payload) =>
      expectModesAgree(async (validation, onDrift) => {
        const text = JSON.stringify({ type, payload: { ...payload, workspaceSecret: secret } });
        const event = parseWebhook(text, { secret, validation, onDrift });
        expect(event).toEqual({ type, payload: JSON.parse(JSON.stringify(payload)) });
      }),
    );
    await fc.assert(agree, { numRuns: 30 });
  },
);
