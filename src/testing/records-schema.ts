import * as z from 'zod/mini';
import { ConversationSchema } from '../schemas/conversation.js';
import { DefaultToolSchema } from '../schemas/default-tool.js';
import { flag, text, texts } from '../schemas/leaf.js';
import { closedObject } from '../schemas/object.js';
import { OrgClientSchema } from '../schemas/org-client.js';
import { TeamSchema } from '../schemas/team.js';
import { ToolSchema } from '../schemas/tool.js';
import { VariableSchema } from '../schemas/variable.js';
import type { RegionRecords, StartRecords } from './records.js';

/** Each list of {@link RegionRecords}: a forgotten one does not compile. */
const lists = {
  workspaces: closedObject({
    id: text,
    secret: text,
    isPrimary: flag,
    ownerIds: texts,
    memberIds: texts,
  }),
  orgs: closedObject({
    id: text,
    clients: z.optional(z.array(z.partial(OrgClientSchema))),
    teams: z.optional(z.array(z.partial(TeamSchema))),
  }),
  agents: closedObject({
    id: text,
    name: text,
    secret: text,
    workspaceId: text,
    advanced: z.optional(closedObject({ serverUrl: text })),
  }),
  variables: z.partial(VariableSchema),
  tools: z.partial(ToolSchema),
  defaultTools: z.partial(DefaultToolSchema),
  conversations: closedObject({
    agentId: text,
    convoId: text,
    record: z.optional(ConversationSchema),
  }),
  leads: closedObject({ id: text, agentId: text }),
  phoneNumbers: closedObject({ sid: text, imported: flag, workspaceId: text }),
} satisfies Record<keyof RegionRecords, z.core.$ZodType>;

const optionalLists = Object.fromEntries(
  Object.entries(lists).map(([name, schema]) => [name, z.optional(z.array(schema))]),
);
const region = z.optional(closedObject(optionalLists));

/** The schema of {@link StartRecords}, for records that come from a file. */
// The lists and their types stand in the table above; `fromEntries` loses them.
export const StartRecordsSchema = closedObject({
  eu: region,
  na: region,
}) as unknown as z.ZodMiniType<StartRecords>;
