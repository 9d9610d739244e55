// Uses every entry point. In program.cjs, the imports are replaced by calls of require.
import { AgentPlatform, ConfigurationError, ToolSchema } from 'agent-platform-sdk';
import { createBullMQInbox } from 'agent-platform-sdk/bullmq';
import { createRedisDedupe } from 'agent-platform-sdk/redis';
import { createSqliteInbox } from 'agent-platform-sdk/sqlite';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { fakeHandlers } from 'agent-platform-sdk/testing/msw';

const isRefused = (create) => {
  try {
    return create({ unheardOf: true });
  } catch (error) {
    return error instanceof ConfigurationError;
  }
};

async function main() {
  const fake = createFakePlatform();
  const { workspaceSecret: token, toolId } = fake.seed.eu;
  const platform = new AgentPlatform({ region: 'eu', token, baseUrls: fake.baseUrls, fetch: fake.fetch });
  const tool = await platform.tools.get(toolId);
  const { name, type, status } = await platform.tools.get('nowhere').catch((error) => error);
  console.log(
    JSON.stringify({
      className: platform.constructor.name,
      tool: ToolSchema.safeParse(tool).success && tool.id === toolId,
      missing: [name, type, status],
      refused: [
        (options) => new AgentPlatform(options),
        createSqliteInbox,
        createBullMQInbox,
        createRedisDedupe,
      ].map(isRefused),
      handlers: fakeHandlers(fake).length > 0,
    }),
  );
}
void main();
