const encoder = /* @__PURE__ */ new TextEncoder();

/** A response as the service sends it: JSON, with its length. */
export function jsonResponse(body: unknown, status: number): Response {
  if (hasNoBody(status)) return new Response(null, { status });
  const bytes = encoder.encode(JSON.stringify(body));
  return new Response(bytes, {
    status,
    headers: { 'content-type': 'application/json', 'content-length': String(bytes.byteLength) },
  });
}

/** These statuses have no body, by the standard: `new Response` would throw. */
export function hasNoBody(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}
