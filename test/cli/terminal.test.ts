import { expect, onTestFinished, test, vi } from 'vitest';
import { processTerminal } from '../../src/cli/terminal.js';

/** The terminal of a process that writes into one text. `out:` and `error:` mark its two outputs. */
function terminal(isTTY: boolean) {
  const written: string[] = [];
  const stream = (name: string) => ({
    isTTY,
    columns: 20,
    hasColors: () => isTTY,
    write: (text: string) => void written.push(`${name}:${text}`),
  });
  vi.spyOn(console, 'log').mockImplementation((text) => void written.push(`out:${text}`));
  vi.spyOn(console, 'error').mockImplementation((text) => void written.push(`error:${text}`));
  onTestFinished(() => void vi.restoreAllMocks());
  const parts = { stdout: stream('out'), stderr: stream('error'), env: {} };
  // All that it reads of a process.
  return { written, ...processTerminal(parts as unknown as NodeJS.Process) };
}

test('writes neither colours nor progress into a pipe, and errors apart from output', () => {
  const { written, out, error, progress } = terminal(false);
  progress('1 of 2');
  out('webhook_test 200', 'good');
  error('no such file');
  expect(written).toEqual(['out:webhook_test 200', 'error:no such file']);
});

test('shows progress of one line on a terminal until the next text, and colours the first word', () => {
  const { written, out, progress } = terminal(true);
  progress('posting the first of two events');
  out('webhook_test 500', 'bad');
  expect(written).toEqual([
    'error:posting the first o',
    'error:\r\u001b[2K',
    'out:\u001b[31mwebhook_test\u001b[39m 500',
  ]);
});

test('writes control characters of the network by their numbers', () => {
  const { written, out, error } = terminal(true);
  out('x\u001b[2Jy');
  error('\u202ename');
  expect(written).toEqual(['out:x\\u001b[2Jy', 'error:\\u202ename']);
});
