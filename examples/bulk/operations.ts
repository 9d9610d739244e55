import { endpoint, VariableSchema, withData } from 'agent-platform-sdk';
import * as z from 'zod';

/**
 * Lists the variables of an agent. The specification doesn't show this operation: try it with the service first,
 * or look in another way.
 */
export const listVariables = endpoint({
  method: 'GET',
  path: '/agents/{agentId}/variables',
  response: withData(z.array(VariableSchema)),
});
