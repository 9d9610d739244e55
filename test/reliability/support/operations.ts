import type { AgentPlatform, endpoints, RequestOptions } from 'agent-platform-sdk';

/** One of the seven operations, as these tests call it. */
export interface Operation {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly call: (platform: AgentPlatform, options?: RequestOptions) => Promise<unknown>;
  /** The body of a success. */
  readonly body: string;
  /** The value that the call then resolves with. */
  readonly value: unknown;
}

const envelope = (data: unknown) => JSON.stringify({ success: true, message: 'ok', data });
const members = { clients: [{ ID: 'c1' }], teams: [] };
const released = { isGood: true, errors: '' };

/** The operations of section 4, with the least that each may be answered. A forgotten one does not compile. */
const byName: Readonly<Record<keyof typeof endpoints, Omit<Operation, 'name'>>> = {
  listMembersAndTeams: {
    method: 'GET',
    call: (platform, options) => platform.orgs.listMembersAndTeams('o1', options),
    body: JSON.stringify({ success: true, message: 'ok', ...members }),
    value: members,
  },
  createVariable: {
    method: 'POST',
    call: (platform, options) => platform.variables.create('a1', { key: 'k' }, options),
    body: envelope({ id: 'v1', key: 'k' }),
    value: { id: 'v1', key: 'k' },
  },
  releasePhoneNumber: {
    method: 'POST',
    call: (platform, options) =>
      platform.phoneNumbers.release({ phoneNumberSid: 'p1', isImportedNumber: false }, options),
    body: JSON.stringify(released),
    value: released,
  },
  listDefaultTools: {
    method: 'GET',
    call: (platform, options) => platform.tools.listDefaults(options),
    body: envelope([{ id: 'web-search' }]),
    value: [{ id: 'web-search' }],
  },
  getTool: {
    method: 'GET',
    call: (platform, options) => platform.tools.get('t1', options),
    body: envelope({ id: 't1' }),
    value: { id: 't1' },
  },
  getConversation: {
    method: 'GET',
    call: (platform, options) => platform.conversations.get({ agentId: 'a1', convoId: 'c1' }, options),
    body: envelope({ ID: 'a1_c1' }),
    value: { ID: 'a1_c1' },
  },
  deleteWorkspace: {
    method: 'DELETE',
    call: (platform, options) => platform.workspaces.delete('w1', options),
    body: JSON.stringify({ success: true, message: 'gone' }),
    value: undefined,
  },
};

export const operations: readonly Operation[] = Object.entries(byName).map(([name, rest]) => ({
  name,
  ...rest,
}));

/** Does the same with each operation, all at once. */
export const withEach = (act: (operation: Operation) => Promise<unknown>): Promise<unknown> =>
  Promise.all(operations.map(act));
