import { OperationFailedError } from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import { connect, success } from '../../support/client.js';
import { startServer } from '../../support/server.js';
import { rounds, seededRandom } from '../support/form.js';
import { outcomeOf } from '../support/outcome.js';
import { watchProcess } from '../support/watch.js';

const CALLS = 1_000;

test.each(rounds)(
  'one platform shared by calls with settings of their own, round %i: none is given those of another',
  async (round) => {
    watchProcess();
    const random = seededRandom(`shared ${round}`);
    // Answers with what came, at once or after a while, so that answers come in another order than calls.
    const server = await startServer(async ({ headers, url }, response) => {
      const delay = random() * 50;
      if (random() < 0.5) await new Promise((resolve) => setTimeout(resolve, delay));
      const { authorization = '', 'x-call': call = '' } = headers;
      const id = url.slice(url.lastIndexOf('/') + 1);
      response.end(JSON.stringify(success({ id, name: authorization, description: call })));
    });
    const platform = connect(server.url, { timeout: 60_000 });
    await Promise.all(
      Array.from({ length: CALLS }, async (_, number) => {
        const own = `token-of-call-${number}`;
        const token = number % 2 === 0 ? own : () => Promise.resolve(own);
        const client = number % 3 === 0 ? platform.withOptions({ token }) : platform;
        const options = { headers: { 'x-call': String(number) }, ...(client === platform ? { token } : {}) };
        const { data, message } = await client.tools.get(`t${number}`, options).withResponse();
        expect({ data, message }).toEqual({
          data: { id: `t${number}`, name: `Bearer ${own}`, description: String(number) },
          message: 'ok',
        });
      }),
    );
    expect(server.requests).toHaveLength(CALLS);
  },
);

test('errors at once: each tells of its own call, and masks its own token', async () => {
  watchProcess();
  const server = await startServer(({ headers, url }, response) => {
    response.end(JSON.stringify({ success: false, message: `no ${url} ${headers.authorization}` }));
  });
  const platform = connect(server.url, { timeout: 60_000 });
  await Promise.all(
    Array.from({ length: 300 }, async (_, number) => {
      const token = `token-of-call-${number}-`;
      const outcome = await outcomeOf(platform.workspaces.delete(`w${number}`, { token }));
      const error = 'error' in outcome ? outcome.error : undefined;
      expect(error).toBeInstanceOf(OperationFailedError);
      expect(error?.message).toContain(`no /v3/workspaces/w${number} `);
      expect(error?.message).not.toContain('token-of-call');
    }),
  );
});
