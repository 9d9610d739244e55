import type { TestProject } from 'vitest/node';
import { startRedis } from '../../scripts/redis-server.js';

declare module 'vitest' {
  interface ProvidedContext {
    redisUrl: string;
  }
}

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const redis = await startRedis();
  project.provide('redisUrl', redis.url);
  return () => redis.stop();
}
