import { testConformance } from './conformance.js';
import { testDeadLetters } from './dead-letters.js';
import type { Engine } from './fixture.js';
import { testHealth } from './health.js';
import { testStoring } from './storing.js';
import { testUnhandled } from './unhandled.js';

/** Tests that every engine runs. The suites of workers and of leftovers run beside it, in files of their own. */
export function testShared(engine: Engine): void {
  testConformance(engine);
  testDeadLetters(engine);
  testHealth(engine);
  testStoring(engine);
  testUnhandled(engine);
}
