import { dataEnvelopeSchema, ToolSchema, webhookEnvelopeSchema } from 'agent-platform-sdk';
import * as classic from 'zod';
import * as mini from 'zod/mini';

function composedBy(z, extended) {
  const tools = z.array(ToolSchema);
  const { error } = tools.safeParse([{ id: 7 }]);
  const schema = z.toJSONSchema(ToolSchema);
  const answer = dataEnvelopeSchema(z.object({ id: z.string() }));
  const delivery = z.object({ body: webhookEnvelopeSchema() });
  const payload = { message: 'hello', createdAt: 1, workspaceSecret: 's' };
  return {
    list: tools.parse([{ id: 'tool-1', unheardOf: true }]),
    refused: [error.issues[0].code, error.issues[0].path.join('.')],
    extended: extended.parse({ id: 'tool-1', region: 'eu' }),
    answer: answer.parse({ success: true, message: 'OK', data: { id: 'tool-1' } }).data,
    delivery: delivery.parse({ body: { type: 'webhook_test', payload } }).body.payload,
    json: [schema.type, schema.properties.id.type],
  };
}

console.log(
  JSON.stringify([
    composedBy(classic, classic.object({ ...ToolSchema.shape, region: classic.enum(['eu', 'na']) })),
    composedBy(mini, mini.extend(ToolSchema, { region: mini.enum(['eu', 'na']) })),
  ]),
);
