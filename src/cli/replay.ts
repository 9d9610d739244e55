import { onOneLine } from '../ground/printable.js';
import type { RecordedWebhook } from '../testing/recording.js';
import { command, UsageError } from './command.js';
import { post, readRecording, SECRET_VARIABLE, secretOf, showDelivery, targetOf } from './webhooks.js';

/** Posts recorded webhooks again. */
export const replayCommand = command({
  name: 'replay',
  summary: 'post recorded webhooks again',
  help: `${SECRET_VARIABLE}=… agent-platform-sdk replay <file> --to <url> [options]

Posts the webhooks of a recording of \`listen --record\`, one after the other, in their order, with the secret of the environment put
back. They are as they were: a receiver that recognises duplicates answers 200 to what it has handled, and handles it no second time.

Options
  --to <url>      where to post them
  --only <type>   only events of this type; can be repeated

The exit code is 0 if each was answered 200, and 2 where there is none to post.`,
  operand: 'the file of a recording',
  flags: {
    to: { type: 'string' },
    only: { type: 'string', multiple: true, default: [] },
  },
  async run({ to, only }, terminal, file) {
    if (to === undefined) throw new UsageError('replay needs --to, the address to post to.');
    const url = targetOf('--to', to, terminal);
    const secret = secretOf(terminal);
    const webhooks = chosen(readRecording(file), only, file);
    let refused = 0;
    for (const [index, webhook] of webhooks.entries()) {
      terminal.progress(`${index + 1} of ${webhooks.length}: ${webhook.type}`);
      const delivery = await post(url, webhook, secret);
      const isAccepted = delivery.outcome === 'success';
      if (!isAccepted) refused += 1;
      showDelivery(terminal, delivery, isAccepted);
    }
    terminal.out(`${webhooks.length} posted, ${refused} not answered 200`);
    return refused === 0 ? 0 : 1;
  },
});

/** @throws {UsageError} When nothing would be posted. */
function chosen(
  recorded: readonly RecordedWebhook[],
  only: readonly string[],
  file: string,
): readonly RecordedWebhook[] {
  if (recorded.length === 0) throw new UsageError(`${file} holds no webhook.`);
  const webhooks = recorded.filter(({ type }) => only.length === 0 || only.includes(type));
  if (webhooks.length > 0) return webhooks;
  const types = new Set(recorded.map(({ type }) => type));
  throw new UsageError(
    `--only: ${file} holds no ${only.map(onOneLine).join(' and no ')}; it holds ${[...types].map(onOneLine).join(', ')}.`,
  );
}
