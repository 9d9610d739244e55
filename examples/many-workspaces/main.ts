// An agency with customers in both regions: a client for each, one receiver for all, and each event is answered with the
// client of its own workspace.
// Run it with: npx tsx examples/many-workspaces/main.ts
import {
  AgentPlatform,
  type AgentPlatformOptions,
  createWebhookReceiver,
  type Region,
} from 'agent-platform-sdk';
import { createFakePlatform } from 'agent-platform-sdk/testing';

/** A customer, as you store it. */
interface Customer {
  readonly region: Region;
  readonly secret: string;
}

/** One client for each customer, made when it is first needed. They share connections, but no token. */
function clientsOf(customers: ReadonlyMap<string, Customer>, options: AgentPlatformOptions) {
  const clients = new Map<string, AgentPlatform>();
  return (name: string): AgentPlatform => {
    const customer = customers.get(name);
    if (customer === undefined) throw new Error(`no customer ${name}`);
    const { region, secret } = customer;
    const client = clients.get(name) ?? new AgentPlatform({ ...options, region, token: secret });
    clients.set(name, client);
    return client;
  };
}

// A fake stands in for the service, and three of its workspaces for your customers.
const fake = createFakePlatform();
const { eu, na } = fake.seed;
const customers = new Map<string, Customer>([
  ['bakery', { region: 'eu', secret: eu.workspaceSecret }],
  ['garage', { region: 'eu', secret: eu.secondWorkspaceSecret }],
  ['florist', { region: 'na', secret: na.workspaceSecret }],
]);

const clientOf = clientsOf(customers, { baseUrls: fake.baseUrls, fetch: fake.fetch });

// A name for each secret: thousands cost no more than one. A value may be a list, while a secret is being replaced. A function
// that loads such a record may stand in its place; to look up each presented secret, there is `verifySecret`.
const secrets = Object.fromEntries([...customers].map(([name, { secret }]) => [name, secret]));
const receiver = createWebhookReceiver({ secret: secrets }).on(
  'chat_delegated',
  async ({ payload: { agentId, convoId }, workspace = '' }) => {
    const { userName } = await clientOf(workspace).conversations.get({ agentId, convoId });
    console.log(`${workspace}: ${userName} is waiting`);
  },
);

for (const region of ['eu', 'na'] as const) {
  const { agentId, convoId } = fake.seed[region];
  fake.webhooks.subscribe(receiver, { region });
  const [delivery] = await fake.webhooks.send('chat_delegated', { agentId, convoId }, { region });
  console.log(`answered ${delivery?.status}`);
}

const { tools } = clientOf('garage');
console.log(`garage has ${(await tools.listDefaults()).length} built-in tools at its disposal`);
