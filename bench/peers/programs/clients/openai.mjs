import OpenAI from 'openai';

export function connect(baseUrl, fetch) {
  const client = new OpenAI({ apiKey: 'bench-token', baseURL: `${baseUrl}/v1`, fetch });
  return async () => {
    const { data } = await client.models.retrieve('tool_1');
    return data;
  };
}
