import { testLeftovers } from '../inbox/leftovers.js';
import { engine } from './inbox-fixture.js';

testLeftovers(engine);
