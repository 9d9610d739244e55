import { testShared } from '../inbox/shared.js';
import { engine } from './inbox-fixture.js';

testShared(engine);
