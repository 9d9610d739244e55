import { existsSync } from 'node:fs';
import { filesIn, read, root } from '../docs/all-blocks.js';

/** Each example by its name: a file of `examples/`, or a folder. */
export function examples(): string[] {
  const inside = filesIn('examples', '').map((file) => file.slice('examples/'.length));
  const names = inside.map((file) => file.split('/')[0] ?? '').filter((name) => !/\.(json|md)$/.test(name));
  return [...new Set(names)];
}

/** The first comment of an example; of a folder, what its `README.md` says. */
export function introductionOf(example: string): string {
  const path = `examples/${example}`;
  if (existsSync(`${root}/${path}/README.md`)) return read(`${path}/README.md`);
  const text = read(/\.\w+$/.test(path) ? path : `${path}/main.ts`);
  const lines = text.split('\n');
  const end = lines.findIndex((line) => !line.startsWith('//'));
  return lines.slice(0, end).join('\n');
}

/** What an example is started with here: no setting of this machine. */
export const environment = { PATH: process.env.PATH };

/** The one command that starts it. */
export function commandOf(example: string): string {
  const introduction = introductionOf(example);
  const [, command] =
    /^\/\/ (?:Run|Start) it with: (.+)$/m.exec(introduction) ??
    /```sh\n([^`]+)\n```/.exec(introduction) ??
    [];
  if (command === undefined) throw new Error(`examples/${example} does not say how it is started`);
  return command;
}
