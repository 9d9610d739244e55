import { ToolSchema } from 'agent-platform-sdk';
import * as z from 'zod/mini';

const tools = z.array(ToolSchema);
const { error } = tools.safeParse([{ id: 7 }]);
const extended = z.extend(ToolSchema, { region: z.enum(['eu', 'na']) });
const schema = z.toJSONSchema(ToolSchema);

console.log(
  JSON.stringify({
    list: tools.parse([{ id: 'tool-1', unheardOf: true }]),
    refused: [error.issues[0].code, error.issues[0].path.join('.')],
    extended: extended.parse({ id: 'tool-1', region: 'eu' }),
    json: [schema.type, schema.properties.id.type],
  }),
);
