import type { FakeChoices } from './choices.js';
import { IdSource } from './ids.js';
import { emptyState, type MutableState } from './state.js';

/** What stands behind the doors of one fake: its records, its ids, and the choices it was made with. */
export interface World {
  readonly state: MutableState;
  readonly ids: IdSource;
  readonly choices: FakeChoices;
}

export function createWorld(choices: FakeChoices): World {
  return { state: emptyState(), ids: new IdSource(), choices };
}
