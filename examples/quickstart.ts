// The main job in one sitting: all seven operations in both regions, over real HTTP, against the embedded fake.
// Run it with `npm run quickstart`.
import { AgentPlatform, BadRequestError, PermissionDeniedError, type Region } from 'agent-platform-sdk';
import { createFakePlatform } from 'agent-platform-sdk/testing';

const fake = createFakePlatform();
const server = await fake.listen();

function say(what: string, result: unknown): void {
  console.log(`  ${what.padEnd(34)} ${typeof result === 'string' ? result : JSON.stringify(result)}`);
}

/** The first line of an error: what happened and where. */
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
    say('  the same key again, handled', firstLine(error));
  }

  const catalogue = await platform.tools.listDefaults();
  say('tools.listDefaults', catalogue.map((tool) => tool.id).join(', '));

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
    if (!(error instanceof PermissionDeniedError)) throw error;
    say('  the primary workspace, refused', firstLine(error));
  }
  await platform.workspaces.delete(seed.secondWorkspaceId);
  say('workspaces.delete', `${seed.secondWorkspaceId} is gone`);
}

try {
  await tour('eu');
  await tour('na');
  console.log(`\n${fake.requests.length} requests over real HTTP, none of them to the network.`);
} finally {
  await server.close();
}
