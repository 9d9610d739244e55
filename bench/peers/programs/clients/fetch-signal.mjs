// The least that a client with a timeout does.
export function connect(baseUrl) {
  const headers = { accept: 'application/json', authorization: 'Bearer bench-token' };
  return async () => {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), 60_000);
    try {
      const { signal } = controller;
      const response = await fetch(`${baseUrl}/v3/tools/tool_1`, { headers, signal, redirect: 'manual' });
      const { data } = await response.json();
      return data;
    } finally {
      clearTimeout(timer);
    }
  };
}
