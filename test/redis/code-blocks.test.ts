import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { allBlocks } from '../docs/all-blocks.js';
import { needsRedis, runBlock } from '../docs/run-block.js';
import { createWorld, secret, type World } from '../docs/world-of-blocks.js';

let world: World;

beforeAll(async () => {
  world = await createWorld();
  vi.stubEnv('REDIS_URL', inject('redisUrl'));
});

afterAll(async () => {
  await world.server.close();
  vi.restoreAllMocks();
});

const blocks = allBlocks().filter((block) => block.notRun === undefined && needsRedis(block));

test.each(blocks)('$document:$line runs', async (block) => {
  await expect(runBlock(block, secret)).resolves.toBeUndefined();
});
