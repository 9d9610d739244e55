import { AgentPlatform, type LogLevel } from 'agent-platform-sdk';
import { createFakePlatform } from 'agent-platform-sdk/testing';

/** The lines of a call that succeeds at its second attempt. Times and versions are those of the guide. */
export async function linesAt(logLevel: LogLevel): Promise<string> {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const fake = createFakePlatform({
    seed: 'empty',
    regions: { eu: { workspaces: [{ secret: 'secret-of-acme' }] } },
  });
  const platform = new AgentPlatform({
    region: 'eu',
    token: 'secret-of-acme',
    baseUrls: fake.baseUrls,
    fetch: fake.fetch,
    logger: { error: write, warn: write, info: write, debug: write },
    logLevel,
  });
  fake.add.agent({ id: 'agent_1' });
  fake.add.tool({ id: 'tool_1', serverUrlSecret: 's3cret' });
  fake.faults.inject({ status: 503, body: 'none', retryAfter: 0 });
  await platform.tools.get('tool_1');
  return lines
    .join('\n')
    .replaceAll(/-> (\w+) in \d+ ms/g, '-> $1 in 12 ms')
    .replaceAll(/sdk\/\d\S+ \([^)]+\)/g, 'sdk/1.0.0 (node/20.0.0)');
}
