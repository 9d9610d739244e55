const encoder = /* @__PURE__ */ new TextEncoder();

/** A response as the service sends it: JSON, with its length. */
export function jsonResponse(body: unknown, status: number): Response {
  // These have no body, by the standard: `new Response` would throw.
  if ([204, 205, 304].includes(status)) return new Response(null, { status });
  const bytes = encoder.encode(JSON.stringify(body));
  return new Response(bytes, {
    status,
    headers: { 'content-type': 'application/json', 'content-length': String(bytes.byteLength) },
  });
}
