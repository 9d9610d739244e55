// ky as a program sets it up that calls a service for months: retries, a timeout, and its token in a hook.
import ky from 'ky';

export function connect(baseUrl) {
  const api = ky.create({
    prefix: `${baseUrl}/v3`,
    retry: { limit: 2 },
    timeout: 30_000,
    hooks: {
      beforeRequest: [({ request }) => request.headers.set('authorization', 'Bearer bench-token')],
    },
  });
  return async () => {
    const { data } = await api.get('tools/tool_1').json();
    return data;
  };
}
