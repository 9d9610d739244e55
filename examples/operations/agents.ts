// Operations that the API specification does not show, declared as a program needs them.
import { ConversationSchema, endpoint, withData, withPage } from 'agent-platform-sdk';
import * as z from 'zod';

/** The fields of an agent that this program uses. It is your schema: a field that does not match it is an error. */
const AgentSchema = z.looseObject({ id: z.string(), name: z.string() });

export const getAgent = endpoint({
  method: 'GET',
  path: '/agents/{agentId}',
  response: withData(AgentSchema),
});

export const updateAgent = endpoint({
  method: 'PATCH',
  path: '/agents/{agentId}',
  body: z.object({ name: z.string().min(1).optional() }),
  response: withData(AgentSchema),
});

/** A page has at most 20 rows. An odd row is reported as drift, and costs neither the page nor the cursor. */
export const listConvos = endpoint({
  method: 'GET',
  path: '/agents/{agentId}/convos',
  query: z.object({ limit: z.number().optional(), cursor: z.string().optional() }),
  response: withPage(ConversationSchema),
});
