import { testStoring } from '../inbox/storing.js';
import { engine } from './inbox-fixture.js';

testStoring(engine);
