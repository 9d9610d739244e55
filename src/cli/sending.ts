import { targetAddress } from '../testing/sending/post.js';
import { isLoopback } from '../utils/loopback.js';
import { SECRET_VARIABLE, splitSecrets } from '../webhooks/secrets/secret-variable.js';
import { UsageError } from './command.js';
import type { Terminal } from './terminal.js';

/** Reads the secrets of the environment. There is no option for them: every process can read a command line. */
export function readSecrets({ env }: Terminal): [string, ...string[]] {
  const [first, ...rest] = splitSecrets(env[SECRET_VARIABLE]);
  if (first !== undefined) return [first, ...rest];
  throw new UsageError(`${SECRET_VARIABLE} is not set. Set it to the workspace secret.`);
}

/** Parses an address for webhooks. Warns if the secret would be sent unencrypted. */
export function parseTarget(option: string, text: string | undefined, terminal: Terminal): string {
  if (text === undefined) throw new UsageError(`Missing ${option}, the address to post to.`);
  const { href, protocol, hostname, host } = new URL(targetAddress(option, text));
  if (protocol === 'http:' && !isLoopback(hostname)) {
    terminal.error(
      `Warning: the workspace secret is sent to ${host} without encryption. Use https: instead.`,
    );
  }
  return href;
}
