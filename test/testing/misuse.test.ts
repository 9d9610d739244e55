import { ConfigurationError, endpoints } from 'agent-platform-sdk';
import {
  createFakePlatform,
  createFixtures,
  type FakePlatform,
  type FakePlatformOptions,
  type FaultInput,
} from 'agent-platform-sdk/testing';
import { fakeHandlers } from 'agent-platform-sdk/testing/msw';
import { expect, test } from 'vitest';

/** What a program in JavaScript can get wrong: the option that the error names, and the words of the fake's own. */
type Mistake = readonly [option: string, act: (fake: FakePlatform) => unknown, words?: string];

const create = (options: object) => createFakePlatform(options as FakePlatformOptions);
const inject = (fault: unknown) => (fake: FakePlatform) => fake.faults.inject(fault as FaultInput);
const send = (options: object) => (fake: FakePlatform) => fake.webhooks.send('webhook_test', {}, options);
const subscribe = (target: unknown, options: object = {}) => {
  return (fake: FakePlatform) => fake.webhooks.subscribe(target as string, options);
};
const addTool = (fields: object) => (fake: FakePlatform) => fake.add.tool(fields);
const change = (name: 'tools' | 'agents', id: string, fields: object) => (fake: FakePlatform) =>
  fake.records.change('eu', name, id, fields);
const eventOf = (type: string) => createFixtures().event(type as 'lead_captured');
const receiver = { fetch: () => new Response() };

const mistakes: readonly Mistake[] = [
  // Unknown names.
  ['sed', () => create({ sed: 'empty' })],
  ['regions.us', () => create({ regions: { us: {} } })],
  ['regions.eu.tool', () => create({ regions: { eu: { tool: [] } } })],
  ['choices.permit', () => create({ choices: { permit: () => true } })],
  [
    'choices.refusals.duplicateKey.status',
    () => create({ choices: { refusals: { duplicateKey: { status: 409 } } } }),
  ],
  ['baseUrls.us', () => create({ baseUrls: { us: 'https://us.example' } })],
  ...['api.example.com', 'localhost:3000', 'ftp://x.example'].map(
    (na): Mistake => ['baseUrls.na', () => create({ baseUrls: { na } }), 'begins with http:// or https://'],
  ),
  ['hosts', (fake) => fake.listen({ hosts: 'x' } as object)],
  ['keepSubscription', (fake) => fake.reset({ keepSubscription: true } as object)],
  ['stauts', inject({ stauts: 500, status: 500 })],
  ['ms', inject({ kind: 'reset', ms: 4 })],
  ['fault', inject({ kind: 'explosion' })],
  ['endpoint', inject({ endpoint: 'getTools', status: 500 })],
  ['copys', send({ copys: 2 })],
  ['event', subscribe(receiver, { event: [] })],
  ['event type', subscribe(receiver, { events: ['lead_capture'] })],
  ['copys', (fake) => fake.webhooks.replay([], { copys: 2 } as object)],
  ['region', (fake) => fake.records.list('us' as 'eu', 'tools')],
  ['collection', (fake) => fake.records.list('eu', 'tool' as 'tools')],
  ['nane', (fake) => fake.add.agent({ nane: 'x' } as object)],
  ['serverURL', addTool({ serverURL: 'x' })],
  ['colour', (fake) => fake.add.org({ colour: 'x' } as object)],
  ['usreName', (fake) => fake.add.conversation({ record: { usreName: 'Dana' } as object })],
  ['leadNam', (fake) => fake.webhooks.send('lead_captured', { leadNam: 'Dana' } as object)],
  ['serverURL', () => createFixtures().tool({ serverURL: 'x' } as object)],
  ['event type', () => eventOf('lead_capture')],
  // One thing in the place of another.
  ['type', (fake) => fake.webhooks.send({ type: 'lead_captured' } as never)],
  ...[undefined, null, () => new Response(), {}].map((target): Mistake => ['target', subscribe(target)]),
  ...['ftp://x.example', 'not a url', 'http://user:pw@x.example'].map(
    (address): Mistake => ['address', subscribe(address), 'begins with http:// or https://'],
  ),
  ...['getTool', 'GET /tools/{toolId}', { method: 'GET', path: '/x' }].map(
    (given): Mistake => ['endpoint', (fake) => fake.handle(given as never, () => ({}))],
  ),
  ['handler', (fake) => fake.handle(endpoints.getTool, undefined as never)],
  ['options', inject(undefined)],
  ['endpoint', inject({ endpoint: () => undefined, status: 503 }), 'must be an endpoint, such as'],
  ['secret', () => createFixtures().delivery('lead_captured', {} as never)],
  ...[undefined, {}].map((fake): Mistake => ['fake', () => fakeHandlers(fake as never), 'expected a fake']),
  // Values that are missing or wrong.
  ['seed', () => create({ seed: 'full' })],
  ['port', (fake) => fake.listen({ port: '80' } as object)],
  ...[6000, 5060, 10_080, 65_536, -1].map((port): Mistake => ['port', (fake) => fake.listen({ port })]),
  ...['*', '*.example.com', '.', 'a:1'].map(
    (name): Mistake => ['allowedHosts[0]', (fake) => fake.listen({ allowedHosts: [name] })],
  ),
  ['status', inject({})],
  ['status', inject({ status: 199 })],
  ['status', inject({ status: 600 })],
  ['times', inject({ status: 500, times: 0 })],
  ['region', inject({ status: 500, region: 'us' })],
  ['headers["a b"]', inject({ status: 500, headers: { 'a b': 'c' } })],
  ['retryAfter', inject({ status: 500, retryAfter: 'a\nb' })],
  ['type', (fake) => fake.webhooks.replay([{ type: 'lead_captured', payload: {} }]), 'has no subscriber'],
  ['copies', send({ copies: 0 })],
  ['copies', send({ copies: 1_001 })],
  ['workspace', send({ workspaceId: 'x' })],
  // Records.
  ...['', '.', '..'].map((id): Mistake => ['id', addTool({ id }), `no path can have the id "${id}".`]),
  [
    'na.leads[2] "a"',
    () => create({ regions: { na: { leads: [{ id: 'a' }, { id: 'b' }, { id: 'a' }] } } }),
    'Another record has this id.',
  ],
  ['name', addTool({ name: 7 })],
  ['agent', addTool({ agentId: 'x' }), 'Region eu has no agent "x". Known: agent_eu_1.'],
  ['workspace', (fake) => fake.add.agent({ workspaceId: 'x' })],
  ['org', (fake) => fake.add.team({ orgId: 'x' })],
  ['key', (fake) => fake.add.variable({ key: 'customer_name' }), 'already has a variable with the same key'],
  ['agent', () => create({ seed: 'empty' }).add.tool(), 'Region eu has no agent yet. Add one first.'],
  ['tool', change('tools', 'x', {})],
  ['id', change('tools', 'tool_eu_1', { id: 'y' }), 'cannot be changed'],
  ['agent', change('tools', 'tool_eu_1', { agentId: 'x' })],
  ['name', change('agents', 'agent_eu_1', { name: undefined })],
  ['snapshot', (fake) => fake.restore(undefined as never), 'fake.restore: snapshot is missing'],
  ['snapshot.version', (fake) => fake.restore({} as never)],
  ['snapshot.version', (fake) => fake.restore({ version: 2, records: { eu: {}, na: {} } } as never)],
  [
    'snapshot.records.eu.tool',
    (fake) => fake.restore({ version: 1, records: { eu: { tool: [] }, na: {} } } as never),
  ],
  ['id', (fake) => fake.restore({ version: 1, records: { eu: {}, na: { tools: [{ id: 7 }] } } } as never)],
];

const rows = mistakes.map(([option, act, words = '']) => ({ option, act, words }));
test.each(rows)('the error names `$option`, and nothing changes (%#)', async ({ option, act, words }) => {
  const fake = createFakePlatform();
  const all = () => JSON.stringify([fake.snapshot(), fake.faults.list(), fake.webhooks.subscriptions]);
  const before = all();
  const error: unknown = await Promise.resolve()
    .then(() => act(fake))
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(error).toMatchObject({ option, message: expect.stringContaining(words) });
  expect(all()).toBe(before);
});
