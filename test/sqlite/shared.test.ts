import { testConformance } from '../inbox/conformance.js';
import { testDeadLetters } from '../inbox/dead-letters.js';
import { testHealth } from '../inbox/health.js';
import { testNeighbours } from '../inbox/neighbours.js';
import { testStoring } from '../inbox/storing.js';
import { testUnhandled } from '../inbox/unhandled.js';
import { engine } from './inbox-fixture.js';

// The other suites of every inbox are in `leftovers.test.ts` and `worker.test.ts`, which run beside this file.
testConformance(engine);
testDeadLetters(engine);
testHealth(engine);
testNeighbours(engine);
testStoring(engine);
testUnhandled(engine);
