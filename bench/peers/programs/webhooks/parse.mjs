export function prepare(body, handler) {
  return () => handler(JSON.parse(body));
}
