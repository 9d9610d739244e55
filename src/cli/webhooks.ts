import { isLoopback } from '../ground/loopback.js';
import { onOneLine } from '../ground/printable.js';
import { type DeliveryRecord, deliver } from '../testing/deliver.js';
import { type RecordedWebhook, readRecordingFile } from '../testing/recording.js';
import { systemClock } from '../webhooks/clock.js';
import { addressOf, UsageError } from './command.js';
import type { Terminal } from './terminal.js';

// Shared by the commands that post webhooks: `listen`, `replay` and `trigger`.

/** The variable that holds the workspace secret. Not a flag: a command line can be read by every process. */
export const SECRET_VARIABLE = 'WORKSPACE_SECRET';

/** @throws {UsageError} When the environment has no secret. */
export function secretOf({ env }: Terminal): string {
  const secret = env[SECRET_VARIABLE]?.trim() ?? '';
  if (secret === '') {
    throw new UsageError(`${SECRET_VARIABLE} is not set: put the workspace secret into the environment.`);
  }
  return secret;
}

/** The address that webhooks are posted to. Warns where the secret would go out unencrypted. */
export function targetOf(flag: string, text: string, terminal: Terminal): string {
  const { href, protocol, hostname, host } = new URL(addressOf(flag, text));
  if (protocol === 'http:' && !isLoopback(hostname)) {
    terminal.error(
      `Warning: the workspace secret goes to ${host} unencrypted. Use https: beyond this machine.`,
    );
  }
  return href;
}

/** Posts a webhook once, as the service would: with the secret in its payload. Never rejects. */
export function post(url: string, webhook: RecordedWebhook, secret: string): Promise<DeliveryRecord> {
  return deliver({ ...webhook, secret, target: url, via: 'subscription' }, systemClock);
}

/** Prints a delivery: `lead_captured 200 in 12 ms`, or the reason why no answer came; then what else there is to say of it. */
export function showDelivery(terminal: Terminal, delivery: DeliveryRecord, isGood: boolean, more = ''): void {
  const { type, status, outcome, error, duration } = delivery;
  const reason = error === undefined ? '' : `: ${error}`;
  const line = `${onOneLine(type)} ${status ?? outcome} in ${Math.round(duration)} ms${onOneLine(reason)}${more}`;
  terminal.out(line, isGood ? 'good' : 'bad');
}

/** @throws {UsageError} When the file cannot be read, or a line of it is no recorded webhook. */
export function readRecording(path: string): RecordedWebhook[] {
  try {
    return readRecordingFile(path);
  } catch (error) {
    // Both throw Errors that name the file.
    throw new UsageError((error as Error).message, { cause: error });
  }
}
