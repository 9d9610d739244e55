import type { AgentPlatform, RequestOptions } from 'agent-platform-sdk';
import type { FakePlatform } from 'agent-platform-sdk/testing';
import { expect } from 'vitest';
import { draw, inForm } from '../support/form.js';
import { isUnknown, type Outcome, outcomeOf } from '../support/outcome.js';
import { workOff } from './work-off.js';

const CALLS = inForm({ short: 200, long: 3_000 });
const WORKERS = inForm({ short: 32, long: 64 });
const AGENT = 'agent_of_the_soak';

/** A call that was made, and what the fake says of it afterwards. */
interface Made {
  readonly name: string;
  readonly isGet: boolean;
  readonly outcome: Outcome;
  /** Whether the fake has carried it out; undefined for those that only read. */
  readonly hasActed: boolean | undefined;
  /** Requests that reached the fake, other than those that it turned away with 429. */
  readonly attempts: number;
}

interface Kind {
  readonly name: string;
  readonly arrange?: (fake: FakePlatform, id: string) => unknown;
  readonly call: (platform: AgentPlatform, id: string, options: RequestOptions) => Promise<unknown>;
  readonly hasActed?: (fake: FakePlatform, id: string) => boolean;
}

const kindsFor = ({ seed }: FakePlatform): readonly Kind[] => {
  const { orgId, toolId, agentId, convoId } = seed.eu;
  return [
    { name: 'members', call: (platform, _, options) => platform.orgs.listMembersAndTeams(orgId, options) },
    { name: 'defaults', call: (platform, _, options) => platform.tools.listDefaults(options) },
    { name: 'tool', call: (platform, _, options) => platform.tools.get(toolId, options) },
    {
      name: 'conversation',
      call: (platform, _, options) => platform.conversations.get({ agentId, convoId }, options),
    },
    {
      name: 'create',
      call: (platform, key, options) => platform.variables.create(AGENT, { key }, options),
      hasActed: ({ state }, key) => [...state.eu.variables.values()].some((one) => one.key === key),
    },
    {
      name: 'release',
      arrange: ({ add }, sid) => add.phoneNumber({ sid }),
      call: (platform, phoneNumberSid, options) =>
        platform.phoneNumbers.release({ phoneNumberSid, isImportedNumber: false }, options),
      hasActed: ({ state }, sid) => !state.eu.phoneNumbers.has(sid),
    },
    {
      name: 'delete',
      arrange: ({ add }, id) => add.workspace({ id, isPrimary: false }),
      call: (platform, id, options) => platform.workspaces.delete(id, options),
      hasActed: ({ state }, id) => !state.eu.workspaces.has(id),
    },
  ];
};

/** Some hundred calls or more, as many at once as there are workers; then the books are balanced. */
export async function clientLap(
  fake: FakePlatform,
  platform: AgentPlatform,
  random: () => number,
  signal: AbortSignal,
): Promise<readonly Outcome[]> {
  const kinds = kindsFor(fake);
  fake.add.agent({ id: AGENT });
  const plan = Array.from({ length: CALLS }, (_, number) => {
    const kind = draw(kinds, random);
    const id = `call_${number}`;
    kind.arrange?.(fake, id);
    return { kind, id };
  });
  const outcomes = new Map<string, Outcome>();
  await workOff(plan, WORKERS, async ({ kind, id }) => {
    const call = kind.call(platform, id, { signal, headers: { 'x-call': id } });
    outcomes.set(id, await outcomeOf(call));
  });
  expect(outcomes.size).toBe(CALLS);
  const attempts = attemptsByCall(fake);
  for (const { kind, id } of plan) {
    const outcome = outcomes.get(id);
    if (outcome === undefined) throw new Error(`${id} is not accounted for`);
    const hasActed = kind.hasActed?.(fake, id);
    const isGet = hasActed === undefined;
    expectBalanced({ name: kind.name, isGet, outcome, hasActed, attempts: attempts.get(id) ?? 0 });
  }
  return [...outcomes.values()];
}

function attemptsByCall({ requests }: FakePlatform): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { headers, status } of requests) {
    const call = headers['x-call'] ?? '';
    if (status !== 429) counts.set(call, (counts.get(call) ?? 0) + 1);
  }
  return counts;
}

/** What a caller may conclude from an outcome is so. */
function expectBalanced({ name, isGet, outcome, hasActed, attempts }: Made): void {
  const which = `${name}, which came to ${outcome.type}`;
  if (isGet) expect(isUnknown(outcome), which).toBe(false);
  else {
    expect(attempts, which).toBeLessThanOrEqual(1);
    if (!isUnknown(outcome)) expect(hasActed, which).toBe(outcome.type === 'value');
  }
}
