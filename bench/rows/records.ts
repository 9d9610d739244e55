import { type Fixtures, fixtures } from 'agent-platform-sdk/testing';

type RecordName = Exclude<keyof Fixtures, 'event' | 'delivery' | 'fromRecording' | 'variableInput'>;

/** One record in three sizes: only what the document requires, what most are like, every field set. */
export interface RecordSample {
  readonly schema: RecordName;
  readonly title: string;
  readonly fields: 'minimal' | 'typical' | 'full';
  readonly record: object;
}

const titles: Readonly<Record<RecordName, string>> = {
  orgClient: 'client',
  team: 'team',
  variable: 'variable',
  tool: 'tool',
  defaultTool: 'default tool',
  conversation: 'conversation',
};

const minimalFields: Readonly<Record<RecordName, readonly string[]>> = {
  orgClient: ['ID'],
  team: ['ID'],
  variable: ['id', 'key', 'type', 'agentId', 'userId'],
  tool: ['id'],
  defaultTool: ['id'],
  conversation: ['ID'],
};

/** Records as most are: a choice, since the specification requires next to nothing. */
const typicalFields: Readonly<Record<RecordName, readonly string[]>> = {
  orgClient: ['ID', 'name', 'email', 'orgId', 'widgetIDs', 'status', 'ts', 'isAdmin', 'allowedChannels'],
  team: ['ID', 'orgId', 'key', 'label', 'memberIds'],
  variable: ['id', 'key', 'type', 'value', 'defaultValue', 'agentId', 'userId'],
  tool: ['id', 'name', 'description', 'method', 'serverUrl', 'agentId', 'fields', 'channels', 'createdAt'],
  defaultTool: ['id', 'name', 'description', 'kind', 'channels'],
  conversation: [
    'ID',
    'userID',
    'userName',
    'userEmail',
    'origin',
    'messagesNum',
    'ts',
    'lastMessage',
    'state',
    'tags',
    'isResolved',
    'handoffHistory',
    'tokenUsage',
  ],
};

export const recordNames = Object.keys(titles) as RecordName[];

export const recordSamples: readonly RecordSample[] = recordNames.flatMap((schema) => {
  const full: object = fixtures[schema]();
  const sample = (fields: RecordSample['fields'], record: object): RecordSample => ({
    schema,
    title: titles[schema],
    fields,
    record,
  });
  return [
    sample('minimal', pick(full, minimalFields[schema])),
    sample('typical', pick(full, typicalFields[schema])),
    sample('full', full),
  ];
});

function pick(record: object, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(record).filter(([name]) => names.includes(name)));
}

/** So many typical clients of an organisation, as a listing answers them (document, 4.1). */
export function listingOf(count: number): string {
  const client = pick(fixtures.orgClient(), typicalFields.orgClient);
  const clients = Array.from({ length: count }, (_, index) => ({ ...client, ID: `client_${index}` }));
  return JSON.stringify({ success: true, message: 'ok', clients, teams: [] });
}
