// A deletion cannot be undone, and is not retried where the service may have acted. When no answer came, check before you decide.
// Run it with: npx tsx examples/delete-workspace/main.ts
import {
  AgentPlatform,
  AgentPlatformError,
  ApiError,
  AuthenticationError,
  endpoints,
  NotFoundError,
} from 'agent-platform-sdk';
import { createFakePlatform } from 'agent-platform-sdk/testing';

type Outcome = 'deleted' | 'refused' | 'still there';

/** Deletes a workspace; `toolId` names one of its tools, which is deleted with it, and so shows whether it is gone. */
async function deleteWorkspace(platform: AgentPlatform, id: string, toolId: string): Promise<Outcome> {
  try {
    await platform.workspaces.delete(id);
    return 'deleted';
  } catch (error) {
    if (error instanceof AgentPlatformError && error.outcomeUnknown) return lookFor(platform, toolId);
    if (error instanceof ApiError) return 'refused';
    throw error;
  }
}

async function lookFor(platform: AgentPlatform, toolId: string): Promise<Outcome> {
  try {
    await platform.tools.get(toolId);
    return 'still there';
  } catch (error) {
    // The workspace took its secret with it. The fake answers 401 to that; what the service answers is not documented.
    if (error instanceof AuthenticationError || error instanceof NotFoundError) return 'deleted';
    throw error;
  }
}

// Two workspaces in a fake, each with its own secret; only the second can be deleted, and its answer is lost.
const fake = createFakePlatform();
const { workspaceId, workspaceSecret, secondWorkspaceId, secondWorkspaceSecret, toolId } = fake.seed.eu;
const agent = fake.add.agent({ workspaceId: secondWorkspaceId });
const tool = fake.add.tool({ agentId: agent.id });
const primary = new AgentPlatform({
  region: 'eu',
  token: workspaceSecret,
  baseUrls: fake.baseUrls,
  fetch: fake.fetch,
});
const second = primary.withOptions({ token: secondWorkspaceSecret });

console.log(`${workspaceId}: ${await deleteWorkspace(primary, workspaceId, toolId)}`);

fake.faults.inject({ endpoint: endpoints.deleteWorkspace, kind: 'reset' });
console.log(`${secondWorkspaceId}: ${await deleteWorkspace(second, secondWorkspaceId, tool.id)}`);

fake.faults.inject({ endpoint: endpoints.deleteWorkspace, kind: 'reset', acts: true });
console.log(`${secondWorkspaceId}: ${await deleteWorkspace(second, secondWorkspaceId, tool.id)}`);

const requests = fake.requests.map(
  ({ method, path, status }) => `${method} ${path} ${status ?? 'no answer'}`,
);
console.log(requests.join('\n'));
