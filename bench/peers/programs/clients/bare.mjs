export function connect(baseUrl, fetch = globalThis.fetch) {
  const init = { headers: { accept: 'application/json', authorization: 'Bearer bench-token' } };
  return async () => {
    const response = await fetch(`${baseUrl}/v3/tools/tool_1`, init);
    const { data } = await response.json();
    return data;
  };
}
