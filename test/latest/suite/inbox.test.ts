import { engine } from '../../bullmq/inbox-fixture.js';
import { testConformance } from '../../inbox/conformance.js';
import { testDeadLetters } from '../../inbox/dead-letters.js';
import { testHealth } from '../../inbox/health.js';

// The suites of every inbox that need nothing of the source.
testConformance(engine);
testDeadLetters(engine);
testHealth(engine);
