import { testWorkers } from '../inbox/workers.js';
import { engine } from './inbox-fixture.js';

testWorkers(engine);
