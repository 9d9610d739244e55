import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { allBlocks } from './all-blocks.js';
import { blocksOfMarkdown, type CodeBlock } from './code-blocks.js';
import { needsRedis, runBlock } from './run-block.js';
import { createWorld, secret, type World } from './world-of-blocks.js';

let world: World;

beforeAll(async () => {
  world = await createWorld();
});

afterEach(() => world.fake.reset());

afterAll(async () => {
  await world.server.close();
  vi.restoreAllMocks();
});

const blocks = allBlocks().filter((block) => block.notRun === undefined && !needsRedis(block));

test.each(blocks)('$document:$line runs', async (block) => {
  await expect(runBlock(block, secret)).resolves.toBeUndefined();
});

const blockOf = (...lines: string[]): CodeBlock => {
  const [block = expect.unreachable()] = blocksOfMarkdown('GUIDE.md', ['```ts', ...lines, '```'].join('\n'));
  return block;
};

test('a block that throws is noticed', async () => {
  const block = blockOf(
    "import { AgentPlatform } from 'agent-platform-sdk';",
    "await new AgentPlatform().tools.get('gone');",
  );
  await expect(runBlock(block, secret)).rejects.toThrow(/^GET \/tools\/gone answered 404/);
});

test('a block whose handler throws is noticed', async () => {
  const block = blockOf(
    "import { createWebhookReceiver } from 'agent-platform-sdk';",
    "createWebhookReceiver({ secret: 's' }).on('client_deleted', () => { throw new Error('no') });",
  );
  await expect(runBlock(block, secret)).rejects.toThrow('client_deleted with 500');
});

test('a block says why it is not run', () => {
  const text = ['<!-- not run: it needs a browser -->', '```ts', 'document;', '```'].join('\n');
  expect(blocksOfMarkdown('GUIDE.md', text)).toMatchObject([{ notRun: 'it needs a browser' }]);
});
