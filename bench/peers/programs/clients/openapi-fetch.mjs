import createClient from 'openapi-fetch';

export function connect(baseUrl) {
  const client = createClient({ baseUrl, headers: { authorization: 'Bearer bench-token' } });
  return async () => {
    const { data } = await client.GET('/v3/tools/{toolId}', { params: { path: { toolId: 'tool_1' } } });
    return data.data;
  };
}
