import { describe, expect, test } from 'vitest';
import { rejectionOf, success } from '../../support/client.js';
import { connectTo } from '../../support/server.js';

describe('a 2xx that cannot be read', () => {
  test('more than maxResponseBytes is a typed error, whether the length is declared or not', async () => {
    const big = JSON.stringify(success({ id: 't1', name: 'x'.repeat(5_000) }));
    for (const headers of [{ 'content-length': String(big.length) }, {}] as const) {
      const { platform } = await connectTo(
        (_, response) => {
          response.writeHead(200, headers);
          response.write(big.slice(0, 2_000));
          response.end(big.slice(2_000));
        },
        { maxResponseBytes: 1_000 },
      );
      const error = await rejectionOf(platform.tools.get('t1'));
      expect(error).toMatchObject({ type: 'response_validation_error', issues: [{ code: 'too_large' }] });
      expect((error as Error).message).toContain('maxResponseBytes');
    }
  });

  test.each([true, false])(
    'maxResponseBytes is the greatest size that is read (declared: %s)',
    async (isDeclared) => {
      const body = JSON.stringify(success({ id: 't1', name: 'x'.repeat(5_000) }));
      const headers = isDeclared ? { 'content-length': String(body.length) } : {};
      const { platform } = await connectTo((_, response) => {
        response.writeHead(200, headers);
        response.write(body.slice(0, 2_000));
        response.end(body.slice(2_000));
      });
      const get = (maxResponseBytes: number) => platform.withOptions({ maxResponseBytes }).tools.get('t1');
      expect(await get(body.length)).toMatchObject({ id: 't1' });
      expect(await rejectionOf(get(body.length - 1))).toMatchObject({ issues: [{ code: 'too_large' }] });
    },
  );
});
