import type { AgentPlatform, RequestOptions } from 'agent-platform-sdk';
import type { FakePlatform } from 'agent-platform-sdk/testing';
import { expect } from 'vitest';
import { draw, inForm } from '../support/form.js';
import { isUnknown, type Outcome, outcomeOf } from '../support/outcome.js';
import { workOff } from './work-off.js';

const CALLS = inForm({ short: 200, long: 3_000 });
const WORKERS = inForm({ short: 32, long: 64 });
const AGENT = 'agent_of_the_soak';

/** One of the rounds of a soak. */
export interface Lap {
  readonly lap: number;
  readonly random: () => number;
}

/** A call that was made, and what the fake says of it afterwards. */
interface Made {
  readonly name: string;
  readonly isGet: boolean;
  readonly outcome: Outcome;
  /** True where the fake has carried it out; undefined for those that only read. */
  readonly hasActed: boolean | undefined;
  /** The fake's answers to its requests, save 429, which says that nothing was done. */
  readonly answers: readonly string[];
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
      call: (platform, id, options) =>
        platform.workspaces.delete(id, { ...options, token: `fake-workspace-secret-of-${id}` }),
      hasActed: ({ state }, id) => !state.eu.workspaces.has(id),
    },
  ];
};

/** Some hundred calls or more, as many at once as there are workers; then the books are balanced. */
export async function clientLap(
  fake: FakePlatform,
  platform: AgentPlatform,
  { lap, random }: Lap,
  signal: AbortSignal,
): Promise<readonly Outcome[]> {
  const kinds = kindsFor(fake);
  fake.add.agent({ id: AGENT });
  const plan = Array.from({ length: CALLS }, (_, number) => {
    const kind = draw(kinds, random);
    // A request that was given up may arrive in the next lap: no id comes twice.
    const id = `call_${lap}_${number}`;
    kind.arrange?.(fake, id);
    return { kind, id };
  });
  const outcomes = new Map<string, Outcome>();
  await workOff(plan, WORKERS, async ({ kind, id }) => {
    const call = kind.call(platform, id, { signal, headers: { 'x-call': id } });
    outcomes.set(id, await outcomeOf(call));
  });
  expect(outcomes.size).toBe(CALLS);
  const answers = answersByCall(fake);
  for (const { kind, id } of plan) {
    const outcome = outcomes.get(id);
    if (outcome === undefined) throw new Error(`${id} is not accounted for`);
    const hasActed = kind.hasActed?.(fake, id);
    const isGet = hasActed === undefined;
    expectBalanced({ name: kind.name, isGet, outcome, hasActed, answers: answers.get(id) ?? [] });
  }
  return [...outcomes.values()];
}

function answersByCall({ requests }: FakePlatform): ReadonlyMap<string, readonly string[]> {
  const answers = new Map<string, string[]>();
  for (const { headers, status, fault } of requests) {
    const call = headers['x-call'] ?? '';
    if (status !== 429) answers.set(call, [...(answers.get(call) ?? []), `${status} (${fault})`]);
  }
  return answers;
}

/** Expects that whatever a caller may conclude from an outcome is so. */
function expectBalanced({ name, isGet, outcome, hasActed, answers }: Made): void {
  const which = `${name}, answered ${answers.join(', ')}, which came to ${outcome.type}`;
  if (isGet) expect(isUnknown(outcome), which).toBe(false);
  else {
    expect(answers.length, which).toBeLessThanOrEqual(1);
    if (!isUnknown(outcome)) expect(hasActed, which).toBe(outcome.type === 'value');
  }
}
