import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { fixtures } from 'agent-platform-sdk/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { serve } from '../support/loopback.js';

const program = fileURLToPath(new URL('../../src/cli/index.ts', import.meta.url));
const node = [process.execPath, '--import', 'tsx', program];
/** Python has pseudo-terminals on board, which Node has not. */
const onTerminal = ['python3', '-c', 'import pty, sys; pty.spawn(sys.argv[1:])', ...node];
const hasPython = spawnSync('python3', ['-c', 'import pty']).error === undefined;

/** Runs a command in a process of its own, and returns what it shows, with names for the characters that a terminal obeys. */
async function shown(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const [file = '', ...args] = argv;
  const ran = promisify(execFile)(file, args, {
    // Nothing else is inherited: Node asks many variables (`CI`, `TMUX`, `NO_COLOR` …) whether a terminal has colours.
    env: {
      PATH: process.env.PATH,
      TERM: 'xterm-256color',
      WORKSPACE_SECRET: 'secret-of-the-tests',
      ...env,
    },
  });
  // A terminal takes nothing in.
  ran.child.stdin?.end();
  const { stdout, stderr } = await ran.catch((error: { stdout: string; stderr: string }) => error);
  return (stdout + stderr).replaceAll('\u001b', '<esc>').replaceAll('\r', '<cr>');
}

/** The arguments that replay two events to a target that accepts each second request. */
async function replay(): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'agent-platform-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'events.ndjson');
  writeFileSync(file, `${JSON.stringify(fixtures.event('webhook_test'))}\n`.repeat(2));
  let requests = 0;
  const target = await serve((_, response) => {
    requests += 1;
    response.writeHead(requests === 1 ? 500 : 200).end();
  });
  return ['replay', file, '--to', target];
}

describe.skipIf(!hasPython)('on a terminal', () => {
  test('progress is shown until a line takes its place, and what went wrong is red', async () => {
    const text = await shown([...onTerminal, ...(await replay())], {});

    expect(text).toMatch(/1 of 2: webhook_test<cr><esc>\[2K<esc>\[31mwebhook_test<esc>\[39m 500 in/);
    expect(text).toMatch(/2 of 2: webhook_test<cr><esc>\[2K<esc>\[32mwebhook_test<esc>\[39m 200 in/);
    // Erased is what is there to be erased, and no more.
    expect(text.split('<esc>[2K')).toHaveLength(3);
  });

  test.each(['1', '2'])(
    'neither progress nor its end is shown where descriptor %s goes to a file',
    async (to) => {
      const folder = mkdtempSync(join(tmpdir(), 'agent-platform-'));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const file = join(folder, 'output');
      const [python = '', ...spawning] = onTerminal.slice(0, -node.length);
      const shell = ['sh', '-c', `exec "$@" ${to}>"$FILE"`, 'sh'];
      const text = await shown([python, ...spawning, ...shell, ...node, ...(await replay())], { FILE: file });

      const both = text + readFileSync(file, 'utf8');
      expect(both).toContain('2 posted, 1 not answered 200');
      expect(both).not.toMatch(/ of 2|\[2K/);
    },
  );

  test('progress is cut to the width of the terminal', async () => {
    const narrow = ['sh', '-c', 'stty cols 14; exec "$@"', 'sh'];
    const [python = '', ...spawning] = onTerminal.slice(0, -node.length);
    const text = await shown([python, ...spawning, ...narrow, ...node, ...(await replay())], {});

    expect(text).toContain('1 of 2: webho<cr><esc>[2K');
  });

  test('an error takes the place of the progress', async () => {
    const args = ['trigger', 'webhook_test', '--to', 'http://127.0.0.1:1', '--copies', '0'];

    expect(await shown([...onTerminal, ...args], {})).toContain(
      'posting webhook_test<cr><esc>[2K--copies takes a number',
    );
  });

  test('NO_COLOR leaves the progress, and no colour', async () => {
    const text = await shown([...onTerminal, ...(await replay())], { NO_COLOR: '1' });

    expect(text).toContain('1 of 2: webhook_test<cr><esc>[2Kwebhook_test 500 in');
    expect(text).not.toMatch(/<esc>\[\d+m/);
  });

  test('the doctor shows the step that it is at', async () => {
    const service = await serve((_, response) => void response.writeHead(403).end());
    const text = await shown([...onTerminal, 'doctor', '--webhook', `${service}/${'x'.repeat(100)}`], {
      AGENT_PLATFORM_REGION: 'eu',
      AGENT_PLATFORM_TOKEN: 'a-token-of-the-tests',
      AGENT_PLATFORM_BASE_URL_EU: service,
    });

    expect(text).toMatch(/GET \/tools\/defaults at http.* …<cr><esc>\[2K<esc>\[31mfail<esc>\[39m {2}service/);
    expect(text).toMatch(/<esc>\[33mwarn<esc>\[39m {2}region/);
    expect(text).toMatch(/posting a genuine and a forged webhook_test to .*<cr><esc>\[2K/);
    // One line is all that can be taken back.
    expect(text).not.toContain('x'.repeat(60));
    const steps = text.split(/<cr><esc>\[2K/).map((shownBefore) => shownBefore.split('\n').at(-1) ?? '');
    expect(Math.max(...steps.map(({ length }) => length))).toBe(79);
  });

  test('a step takes the place of the one before', async () => {
    const text = await shown([...onTerminal, 'doctor'], {
      AGENT_PLATFORM_REGION: 'eu',
      AGENT_PLATFORM_TOKEN: 'a-token-of-the-tests',
      AGENT_PLATFORM_BASE_URL_EU: 'https://127.0.0.1:1',
    });

    expect(text).toContain('the certificate of 127.0.0.1 …<cr><esc>[2KGET /tools/defaults at');
  });
});

test('what came over the network commands no terminal, in an error neither', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agent-platform-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'events.ndjson');
  writeFileSync(file, JSON.stringify({ type: 'x\u001b[2J\ny', payload: {} }));
  const target = await serve((_, response) => void response.end());

  expect(await shown([...node, 'replay', file, '--to', target], {})).toMatch(/^x\\u001b\[2J\\ny 200 in/);
  expect(await shown([...node, 'fake', '--seed', '/nowhere/\u001b[2J'], {})).toContain('/nowhere/\\u001b[2J');
});

test('an error is told apart from the output', async () => {
  const split = ['sh', '-c', 'exec "$@" 2>/dev/null', 'sh', ...node];

  expect(await shown([...split, 'replay', '/nowhere', '--to', 'http://127.0.0.1:1'], {})).toBe('');
});

test('piped, a line is a line: neither progress nor colour', async () => {
  const text = await shown([...node, ...(await replay())], {});

  expect(text.replaceAll(/\d+ ms/g, '… ms').split('\n')).toEqual([
    'webhook_test 500 in … ms',
    'webhook_test 200 in … ms',
    '2 posted, 1 not answered 200',
    '',
  ]);
});
