import ky from 'ky';
import { z } from 'zod';

const Variable = z.looseObject({
  key: z.string().optional(),
  type: z.string().optional(),
  required: z.boolean().optional(),
  description: z.string().optional(),
});

const Tool = z.looseObject({
  id: z.string(),
  name: z.string().optional(),
  description: z.string().optional(),
  isDefault: z.boolean().optional(),
  method: z.string().optional(),
  serverUrl: z.string().optional(),
  serverUrlSecret: z.string().optional(),
  createdAt: z.string().optional(),
  updatedAt: z.string().optional(),
  disabled: z.boolean().optional(),
  isVoiceprovTool: z.boolean().optional(),
  voiceprovId: z.string().optional(),
  isGlobal: z.boolean().optional(),
  variablesIds: z.array(z.string()).optional(),
  agentId: z.string().optional(),
  userId: z.string().optional(),
  backchannellingPhrases: z.array(z.string()).optional(),
  toolsSettings: z.unknown().optional(),
  fields: z.array(Variable).optional(),
  channels: z.array(z.string()).optional(),
});

const Envelope = z.looseObject({
  success: z.boolean().optional(),
  message: z.string().optional(),
  data: Tool,
});

export function connect(baseUrl) {
  const api = ky.create({ prefixUrl: `${baseUrl}/v3`, headers: { authorization: 'Bearer bench-token' } });
  return async () => Envelope.parse(await api.get('tools/tool_1').json()).data;
}
