import Retell from 'retell-sdk';

export function connect(baseUrl) {
  const client = new Retell({ apiKey: 'bench-token', baseURL: baseUrl });
  return async () => {
    const { data } = await client.agent.retrieve('tool_1');
    return data;
  };
}
