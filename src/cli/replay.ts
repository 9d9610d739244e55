import { readRecordingFile } from '../testing/sending/recording.js';
import { SECRET_VARIABLE } from '../webhooks/secrets/secret-variable.js';
import { type Command, parse, parseTarget, readSecrets, UsageError } from './command.js';
import { orUsageError } from './files.js';
import { JSON_OPTION, postAndPrint } from './lines.js';

/** Posts recorded webhooks again. */
export const replay: Command = {
  summary: 'post recorded webhooks again',
  help: `${SECRET_VARIABLE}=… agent-platform-sdk replay <file> --to <url> [options]

Posts the webhooks that \`listen --record\` recorded, one after the other. A receiver that detects duplicates
answers 200 to events that it handled before, and does not handle them again.

Options
  --to <url>      the address to post them to
  --only <type>   posts only events of this type; repeatable
  --json          prints JSON, one object a line

The exit code is 0 if every response was 200, 1 if one was not or a line is broken, and 2 if there is nothing
to post.`,
  async run(args, terminal) {
    const options = {
      to: { type: 'string' },
      only: { type: 'string', multiple: true, default: [] as string[] },
      json: JSON_OPTION,
    } as const;
    const { values, operand: file } = parse(args, options, 'a file that `listen --record` wrote');
    const url = parseTarget('--to', values.to, terminal);
    const [secret] = readSecrets(terminal);
    let broken = 0;
    const skip = (problem: string): void => {
      broken += 1;
      terminal.error(problem);
    };
    const recorded = orUsageError('', () => readRecordingFile(file, skip));
    const webhooks = recorded.filter(({ type }) => values.only.length === 0 || values.only.includes(type));
    if (webhooks.length === 0) {
      const types = [...new Set(recorded.map(({ type }) => type))].join(', ') || 'none';
      throw new UsageError(`There is nothing to post in ${file}. It has the types: ${types}.`);
    }
    let refused = 0;
    for (const webhook of webhooks) {
      if (!(await postAndPrint(terminal, values.json, { url, webhook, secret }))) refused += 1;
    }
    if (values.json) terminal.out(JSON.stringify({ posted: webhooks.length, refused, broken }));
    else terminal.out(`${webhooks.length} posted, ${refused} without a 200, ${broken} broken lines`);
    return refused + broken === 0 ? 0 : 1;
  },
};
