import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';

/** A Lua script on one key: Redis runs it as one atomic step. */
export class LuaScript {
  readonly #text: string;
  readonly #digest: string;

  constructor(text: string) {
    this.#text = text;
    this.#digest = createHash('sha1').update(text).digest('hex');
  }

  /** Runs it by its digest; sends the text where Redis does not have it, as after a restart. */
  async run(client: Redis, key: string, args: readonly (string | number)[]): Promise<unknown> {
    try {
      return await client.evalsha(this.#digest, 1, key, ...args);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return client.eval(this.#text, 1, key, ...args);
    }
  }
}
