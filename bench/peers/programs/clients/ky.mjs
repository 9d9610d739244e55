import ky from 'ky';

export function connect(baseUrl) {
  const api = ky.create({ prefix: `${baseUrl}/v3`, headers: { authorization: 'Bearer bench-token' } });
  return async () => {
    const { data } = await api.get('tools/tool_1').json();
    return data;
  };
}
