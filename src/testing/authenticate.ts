import { REGIONS, type Region } from '../ground/regions.js';
import type { Caller } from './caller.js';
import type { FakeChoices } from './choices.js';
import { Refusal } from './refusal.js';
import type { FakeState } from './state.js';

/** Finds the caller by the bearer token of a request that was sent to `region`. */
export function authenticate(
  headers: Headers,
  region: Region,
  state: FakeState,
  choices: FakeChoices,
): Caller {
  const token = bearerToken(headers);
  if (token === undefined) {
    throw new Refusal('unauthenticated', 'The header "Authorization: Bearer <token>" is missing.');
  }
  const caller = findCaller(token, state, region);
  if (caller === undefined) throw new Refusal('unauthenticated', 'The token is not known.');
  if (caller.region !== region && choices.wrongRegion === 'refuse') {
    throw new Refusal('wrongRegion', `The token is not known in region ${region}.`);
  }
  return caller;
}

function bearerToken(headers: Headers): string | undefined {
  return /^bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1];
}

/** Looks in the addressed region first, then in the other. */
function findCaller(token: string, state: FakeState, first: Region): Caller | undefined {
  for (const region of [first, ...REGIONS.filter((other) => other !== first)]) {
    const caller = findCallerIn(token, state, region);
    if (caller !== undefined) return caller;
  }
  return undefined;
}

function findCallerIn(token: string, state: FakeState, region: Region): Caller | undefined {
  const { workspaces, agents } = state[region];
  for (const workspace of workspaces.values()) {
    if (workspace.secret === token) return { kind: 'workspace', region, workspace };
  }
  for (const agent of agents.values()) {
    const workspace = workspaces.get(agent.workspaceId);
    if (agent.secret === token && workspace !== undefined) return { kind: 'agent', region, workspace, agent };
  }
  return undefined;
}
