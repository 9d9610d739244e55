import { AgentPlatform, createWebhookReceiver, type Drift, parseWebhook } from 'agent-platform-sdk';
import { expect, test } from 'vitest';

const secret = 'secret-of-the-hostile-tests';

/** Members of a JSON object that `JSON.stringify` would not write, or not so. */
const hostile: readonly [what: string, members: string][] = [
  ['a field named __proto__', '"__proto__":{"polluted":true}'],
  ['a constructor with a prototype', '"constructor":{"prototype":{"polluted":true}}'],
  ['the names of what every object has', '"hasOwnProperty":1,"toString":1,"toJSON":1,"then":1,"length":1e9'],
  ['objects 5,000 levels deep', `"deep":${'{"a":'.repeat(5_000)}0${'}'.repeat(5_000)}`],
  ['numbers at the edge and beyond', '"big":1e308,"minus":-0,"infinite":1e999,"small":5e-324'],
  ['halves of surrogate pairs', String.raw`"half":"\ud800 and \udc00","\udfff":"\ud83d"`],
  ['the same name twice', '"twice":"first","twice":"last"'],
  ['10,000 fields', Array.from({ length: 10_000 }, (_, index) => `"grown${index}":${index}`).join(',')],
];

function answering(text: string, onDrift: (drift: Drift) => void, strict = false): AgentPlatform {
  return new AgentPlatform({
    region: 'eu',
    token: 'token-of-the-hostile-tests',
    baseUrls: { eu: 'https://service.test' },
    logLevel: 'off',
    validation: strict ? 'strict' : 'tolerant',
    hooks: { onDrift },
    fetch: async () => new Response(text),
  });
}

/** Compares JSON values without recursion: they may be very deep. */
function expectSame(value: unknown, expected: unknown): void {
  const pairs: [unknown, unknown][] = [[value, expected]];
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [one, other] = pair as [Record<string, unknown>, Record<string, unknown>];
    if (typeof other !== 'object' || other === null) expect(one).toBe(other);
    else {
      expect(Object.keys(one)).toEqual(Object.keys(other));
      for (const name of Object.keys(other)) pairs.push([one[name], other[name]]);
    }
  }
  expect(Object.prototype).not.toHaveProperty('polluted');
}

test.each(hostile)('%s in an open record is passed on as sent', async (_, members) => {
  const text = `{"success":true,"message":"m","data":{"id":"t1",${members}}}`;
  const tool = await answering(text, () => expect.unreachable()).tools.get('t1');
  expectSame(tool, JSON.parse(text).data);
});

test.each(hostile)('%s in a closed record is drift, and an error in strict', async (_, members) => {
  const text = `{"success":true,"message":"m","clients":[{"ID":"c1",${members}}],"teams":[]}`;
  const drifts: Drift[] = [];
  const { clients } = await answering(text, (drift) => void drifts.push(drift)).orgs.listMembersAndTeams(
    'o1',
  );
  expectSame(clients, JSON.parse(text).clients);
  expect(drifts).toHaveLength(1);
  const strict = answering(text, () => expect.unreachable(), true);
  await expect(strict.orgs.listMembersAndTeams('o1')).rejects.toMatchObject({
    type: 'response_validation_error',
  });
});

test.each(hostile)(
  '%s in a payload is passed on as sent, and refused without the secret',
  async (_, members) => {
    const event = (end: string) =>
      `{"type":"webhook_test","payload":{"message":"m","createdAt":1,${members}${end}}}`;
    const body = event(`,"workspaceSecret":"${secret}"`);
    expectSame(parseWebhook(body, { secret, validation: 'strict' }), JSON.parse(event('')));
    const receiver = createWebhookReceiver({ secret, logLevel: 'off' }).onAny(() => undefined);
    expect((await receiver.handle({ method: 'POST', body })).status).toBe(200);
    for (const forged of [event(''), `{${members}}`, `[{${members}}]`]) {
      expect((await receiver.handle({ method: 'POST', body: forged })).status).toBe(401);
    }
  },
);
