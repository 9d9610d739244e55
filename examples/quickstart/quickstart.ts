// A tour over real HTTP, against the embedded fake: calls in both regions, then webhooks.
// Run it with: npm run quickstart
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  AgentPlatform,
  ApiError,
  BadRequestError,
  ConfigurationError,
  createWebhookReceiver,
  type Region,
} from 'agent-platform-sdk';
import { createSqliteInbox } from 'agent-platform-sdk/sqlite';
import { createFakePlatform } from 'agent-platform-sdk/testing';

const fake = createFakePlatform();
const server = await fake.listen();

function say(what: string, result: unknown): void {
  console.log(`  ${what.padEnd(34)} ${typeof result === 'string' ? result : JSON.stringify(result)}`);
}

/** The first line of an error: what happened, and on which call. */
const firstLine = (error: Error): string => `${error.name}: ${error.message.split('\n')[0]}`;

async function tour(region: Region): Promise<void> {
  const seed = fake.seed[region];
  console.log(`\nRegion ${region.toUpperCase()}, at ${server.baseUrls[region]}/v3`);
  const platform = new AgentPlatform({ region, token: seed.workspaceSecret, baseUrls: server.baseUrls });

  const { clients, teams } = await platform.orgs.listMembersAndTeams(seed.orgId);
  say('orgs.listMembersAndTeams', `${clients.length} client(s), ${teams.length} team(s)`);

  const variable = await platform.variables.create(seed.agentId, {
    key: 'plan',
    type: 'string',
    value: 'pro',
  });
  say('variables.create', { id: variable.id, key: variable.key });

  try {
    await platform.variables.create(seed.agentId, { key: 'plan' });
  } catch (error) {
    if (!(error instanceof BadRequestError)) throw error;
    say('  the same key again, refused', firstLine(error));
  }

  const catalogue = await platform.tools.listDefaults();
  say('tools.listDefaults', catalogue.map((tool) => tool.id ?? tool.name).join(', '));

  const tool = await platform.tools.get(seed.toolId);
  say('tools.get', { id: tool.id, name: tool.name, channels: tool.channels });

  const conversation = await platform.conversations.get({ agentId: seed.agentId, convoId: seed.convoId });
  say('conversations.get', {
    ID: conversation.ID,
    userName: conversation.userName,
    state: conversation.state,
  });

  const released = await platform.phoneNumbers.release({
    workspaceId: seed.workspaceId,
    phoneNumberSid: seed.importedNumberSid,
    isImportedNumber: true,
  });
  say('phoneNumbers.release', released);

  try {
    await platform.workspaces.delete(seed.workspaceId);
  } catch (error) {
    // The specification does not show the status of this refusal.
    if (!(error instanceof ApiError)) throw error;
    say('  the primary workspace, refused', firstLine(error));
  }
  // Each workspace has its own secret.
  await platform.workspaces.delete(seed.secondWorkspaceId, { token: seed.secondWorkspaceSecret });
  say('workspaces.delete', `${seed.secondWorkspaceId} is gone`);
}

async function receiveWebhooks(): Promise<void> {
  const handled: string[] = [];
  const receiver = createWebhookReceiver({ secret: fake.seed.eu.workspaceSecret, logLevel: 'off' })
    .on('lead_captured', ({ payload }) => void handled.push(`lead ${payload.leadName}`))
    .on('conversation_updated', ({ payload }) => void handled.push(`conversation ${payload.convoId}`))
    .onUnknown((event) => void handled.push(`unknown type ${event.type}, kept`))
    .onRejected(({ reason }) => void handled.push(`rejected: ${reason}`));
  const endpoint = createServer(receiver.node).listen(0, '127.0.0.1');
  await once(endpoint, 'listening');
  const url = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/webhooks`;
  console.log(`\nWebhooks to a receiver at ${url}`);

  const { webhooks } = fake;
  const unsubscribe = webhooks.subscribe(url);
  const show = async (what: string, deliveries: ReturnType<typeof webhooks.send>): Promise<void> => {
    const statuses = (await deliveries).map(({ status }) => status).join(' and ');
    say(what, `${statuses}; the handlers saw: ${handled.splice(0).join(', ') || 'nothing'}`);
  };
  await show('an event', webhooks.send('lead_captured', { leadName: 'Dana' }));
  await show('an event, twice at once', webhooks.send('conversation_updated', {}, { copies: 2 }));
  await show('a forged event', webhooks.send('lead_captured', { leadName: 'Mallory' }, { forged: true }));
  await show('an event of an unknown type', webhooks.send('lead_scored', { score: 9 }));
  await show('an event without a handler', webhooks.send('webhook_test'));

  unsubscribe();
  endpoint.closeAllConnections();
  endpoint.close();
}

/** An event outlives the process that handles it, if it is stored in a file first. */
async function surviveCrash(): Promise<void> {
  console.log('\nAn inbox in a file');
  const folder = mkdtempSync(join(tmpdir(), 'quickstart-'));
  const path = join(folder, 'webhooks.db');
  try {
    const inbox = createSqliteInbox({ path, logLevel: 'off' });
    const receiver = createWebhookReceiver({ secret: fake.seed.eu.workspaceSecret, inbox, logLevel: 'off' });
    const unsubscribe = fake.webhooks.subscribe(receiver);
    const [delivery] = await fake.webhooks.send('lead_captured', { leadName: 'Dana' });
    unsubscribe();
    say('an event', `${delivery?.status}; stored, not handled yet`);

    const first = startWorker(path, 'slow');
    await once(first, 'message');
    first.kill('SIGKILL');
    say('a worker is killed', 'inside its handler');

    const second = startWorker(path);
    const [handled] = (await once(second, 'message')) as [string];
    say('another worker starts', handled);
    second.kill();
    await inbox.close();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    say('not shown', error.message);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function startWorker(...args: readonly string[]): ChildProcess {
  return fork(new URL('worker.ts', import.meta.url), args);
}

try {
  await tour('eu');
  await tour('na');
  await receiveWebhooks();
  await surviveCrash();
  const { length: calls } = fake.requests;
  const { length: deliveries } = fake.webhooks.deliveries;
  console.log(`\n${calls} calls and ${deliveries} deliveries over real HTTP, all on this machine.`);
} finally {
  await server.close();
}
