/**
 * The parts of the package that are measured alone, which no entry point exports. Bundled from the source by the
 * harness, in the same way as the package.
 */
import { endpoints } from '../src/endpoints/endpoints.js';
import { ConversationSchema } from '../src/schemas/conversation.js';
import { DefaultToolSchema } from '../src/schemas/default-tool.js';
import { OrgClientSchema } from '../src/schemas/org-client.js';
import { TeamSchema } from '../src/schemas/team.js';
import { ToolSchema } from '../src/schemas/tool.js';
import { VariableSchema } from '../src/schemas/variable.js';
import { ConversationUpdatedPayloadSchema } from '../src/webhooks/events.js';

export { safeParse } from 'zod/mini';
export { validateOwn } from '../src/validation/validate.js';

export const schemas = {
  orgClient: OrgClientSchema,
  team: TeamSchema,
  variable: VariableSchema,
  tool: ToolSchema,
  defaultTool: DefaultToolSchema,
  conversation: ConversationSchema,
  membersAndTeams: endpoints.listMembersAndTeams.response.schema,
  conversationUpdated: ConversationUpdatedPayloadSchema,
};
