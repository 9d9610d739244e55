import { VapiClient } from '@vapi-ai/server-sdk';

export function connect(baseUrl) {
  const client = new VapiClient({ token: 'bench-token', baseUrl });
  return async () => {
    const { data } = await client.assistants.get({ id: 'tool_1' });
    return data;
  };
}
