// ky as the client's transport uses it, without what that adds: one request for each call, whose `fetch` option reads the
// whole answer, and headers that a hook sets anew for each attempt. In the version of ky that the task names.
import { task } from '../measure.mjs';

const { default: ky } = await import(task.ky);

export function connect(baseUrl) {
  const setHeaders = (given) => {
    // Before 2.0 a hook was given the request itself.
    const request = given.request ?? given;
    request.headers.set('accept', 'application/json');
    request.headers.set('authorization', 'Bearer bench-token');
  };
  return async () => {
    let text = '';
    await ky(`${baseUrl}/v3/tools/tool_1`, {
      method: 'GET',
      redirect: 'manual',
      timeout: false,
      throwHttpErrors: false,
      retry: { limit: 2, methods: ['get'], shouldRetry: () => false, delay: () => 0 },
      hooks: { beforeRequest: [setHeaders], beforeRetry: [setHeaders] },
      fetch: async (request) => {
        const response = await fetch(request);
        text = await response.text();
        return response;
      },
    });
    const { data } = JSON.parse(text);
    return data;
  };
}
