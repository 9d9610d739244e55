import { failureOfDelivery } from '../testing/http/describe.js';
import { type RecordedWebhook, readRecordingFile } from '../testing/sending/recording.js';
import { SECRET_VARIABLE } from '../webhooks/secrets/secret-variable.js';
import { type Command, parse, UsageError } from './command.js';
import { JSON_OPTION, printDelivery, printJson, printPosting } from './lines.js';
import { parseTarget, post, readSecrets } from './sending.js';

/** Posts recorded webhooks again. */
export const replay: Command = {
  summary: 'post recorded webhooks again',
  help: `${SECRET_VARIABLE}=… agent-platform-sdk replay <file> --to <url> [options]

Posts the webhooks recorded by \`listen --record\`, one after the other, with the first secret of the
environment. They are unchanged: a receiver that detects duplicates responds with 200 to those that it has
handled, and does not handle them again.

Options
  --to <url>      the address to post them to
  --only <type>   posts only events of this type; repeatable
  --json          prints one line of JSON for each webhook

The exit code is 0 if every response was 200, 1 if one was not, and 2 if there is nothing to post.`,
  async run(args, terminal) {
    const options = {
      to: { type: 'string' },
      only: { type: 'string', multiple: true, default: [] as string[] },
      json: JSON_OPTION,
    } as const;
    const { values, operand: file } = parse(args, options, 'a file recorded by `listen --record`');
    const url = parseTarget('--to', values.to, terminal);
    const [secret] = readSecrets(terminal);
    const { json } = values;
    const webhooks = select(readRecording(file), values.only, file);
    let refused = 0;
    for (const webhook of webhooks) {
      printPosting(terminal, json, webhook.type, url);
      const delivery = await post(url, webhook, secret);
      const failure = failureOfDelivery(delivery);
      if (failure !== undefined) refused += 1;
      printDelivery(terminal, json, delivery, failure);
    }
    if (json) printJson(terminal, { posted: webhooks.length, refused });
    else terminal.out(`${webhooks.length} posted, ${refused} without a 200`);
    return refused === 0 ? 0 : 1;
  },
};

function readRecording(file: string): RecordedWebhook[] {
  try {
    return readRecordingFile(file);
  } catch (error) {
    // Its message names the file.
    throw new UsageError((error as Error).message, { cause: error });
  }
}

function select(recorded: readonly RecordedWebhook[], only: readonly string[], file: string) {
  const webhooks = recorded.filter(({ type }) => only.length === 0 || only.includes(type));
  if (webhooks.length > 0) return webhooks;
  const types = [...new Set(recorded.map(({ type }) => type))].join(', ');
  throw new UsageError(`There is nothing to post in ${file}. Its types: ${types === '' ? 'none' : types}.`);
}
