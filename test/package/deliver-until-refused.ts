import { Agent, request } from 'node:http';
import { fixtures } from 'agent-platform-sdk/testing';

/**
 * Sends `chat_delegated` on ten connections that stay open, each time another, until a delivery gets no 200. Calls
 * `end` after the fiftieth. Returns the names of the customers in accepted ones, how the others failed, and how long
 * the server says that it keeps connections.
 */
export async function deliverUntilRefused(url: string, secret: string, event: object, end: () => unknown) {
  const agent = new Agent({ keepAlive: true });
  const accepted: string[] = [];
  const failures = new Set<unknown>();
  let created = 0;
  let keepAlive: unknown;
  const post = (customerName: string) =>
    new Promise<unknown>((resolve) => {
      const headers = { 'content-type': 'application/json' };
      const sent = request(url, { agent, method: 'POST', headers }, (response) => {
        // Absent from responses that close their connection.
        keepAlive ??= response.headers['keep-alive'];
        response.resume().on('end', () => resolve(response.statusCode));
      });
      sent.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code));
      sent.end(JSON.stringify(fixtures.delivery('chat_delegated', secret, { ...event, customerName })));
    });
  const sendOn = async () => {
    for (;;) {
      created += 1;
      const name = `c${created}`;
      const result = await post(name);
      if (result !== 200) return failures.add(result);
      accepted.push(name);
      if (accepted.length === 50) end();
    }
  };
  await Promise.all(Array.from({ length: 10 }, sendOn));
  agent.destroy();
  return { accepted, failures, keepAlive };
}
