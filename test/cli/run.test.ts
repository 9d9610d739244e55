import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import { version } from '../../package.json';
import { deferred } from '../support/deferred.js';
import { serve } from '../support/loopback.js';
import { newFile } from '../support/new-file.js';
import { finish } from './terminal.js';

const commands = ['init', 'fake', 'listen', 'replay', 'trigger', 'doctor'];

test('--help lists the commands, --version prints the version', async () => {
  const { code, lines } = await finish(['--help']);
  expect(code).toBe(0);
  for (const command of commands) expect(lines[0]).toContain(`\n  ${command}`);
  expect((await finish(['help'])).lines).toEqual(lines);
  expect(await finish(['-v'])).toMatchObject({ code: 0, lines: [version] });
});

test.each(commands)('%s --help describes its options, and so does help %s', async (command) => {
  const { code, lines } = await finish([command, '--help']);
  expect([code, lines[0]]).toEqual([
    0,
    expect.stringMatching(RegExp(`agent-platform-sdk ${command}.*--`, 's')),
  ]);
  expect((await finish(['help', command])).lines).toEqual(lines);
});

describe('a wrong command line exits with 2', () => {
  const env = { AGENT_PLATFORM_WEBHOOK_SECRET: 'a-workspace-secret' };
  const to = '--to http://127.0.0.1:9';
  test.each([
    ['', 'Missing command. Known: init, fake, listen, replay, trigger, doctor.'],
    ['--port 1', 'Missing command.'],
    ['fakes', 'Unknown command "fakes". Did you mean "fake"?'],
    ['help lisen', 'Did you mean "listen"?'],
    ['toString', 'Unknown command "toString".'],
    ['fake --prot 1', 'Unknown option --prot. Did you mean `--port`?'],
    ['fake -p 1', 'Unknown option -p.'],
    ['listen --secret x', 'Unknown option --secret. Set AGENT_PLATFORM_WEBHOOK_SECRET instead.'],
    ['doctor --token x', 'Unknown option --token. Set AGENT_PLATFORM_TOKEN instead.'],
    ['fake extra', "Unexpected argument 'extra'."],
    ['fake --port 65536', '--port must be a number from 0 to 65535, got "65536".'],
    ['fake --port', "Option '--port <value>' argument missing"],
    ['doctor --json=yes', "Option '--json' does not take an argument"],
    ['doctor --inbox=', '--inbox is empty. Is the variable for it set?'],
    ['fake --webhook= --port 0', '--webhook is empty.'],
    ['fake --webhook nowhere', '--webhook: expected an address that begins with http:// or https://'],
    ['fake --allow-host a:1', 'must be a name without a port'],
    ['fake --handlers nowhere.mjs', '--handlers: nowhere.mjs: Cannot find'],
    ['fake --seed nowhere.json', '--seed: nowhere.json: ENOENT'],
    ['fake --state /nowhere/state.json', '--state: ENOENT'],
    ['listen --record /nowhere/file', '--record: ENOENT'],
    ['replay', 'Missing argument: a file that `listen --record` wrote.'],
    ['replay nowhere.ndjson', 'Missing --to'],
    [`replay nowhere.ndjson ${to}`, 'ENOENT'],
    [`replay one two ${to}`, "Unexpected argument 'two'."],
    [`trigger lead_capture ${to}`, 'Did you mean "lead_captured"?'],
    ['trigger lead_captured --to ftp://x', '--to: expected an address that begins with http:// or https://'],
    [`trigger lead_captured ${to} --set x`, '--set must be field=value, such as leadName=Dana, got "x".'],
    [`trigger lead_captured ${to} --set a.b=c`, '--set must be field=value'],
    [`trigger lead_captured ${to} --set channel=pigeon`, '--set makes an invalid lead_captured'],
    [`trigger lead_captured ${to} --set leadNme=x`, 'Did you mean `leadName`?'],
    [`trigger lead_captured ${to} --copies 0`, '--copies must be a number from 1 to 1000'],
    [`trigger lead_captured ${to} --copies 1001`, '--copies must be a number from 1 to 1000'],
    ['doctor --redis redis://127.0.0.1', '--redis reads REDIS_URL: set it.'],
    ['doctor --queue mine', '--queue requires --redis.'],
  ])('%s', async (line, message) => {
    const { code, errors } = await finish(line.split(' ').filter(Boolean), env);
    expect([code, errors[0]]).toEqual([2, expect.stringContaining(message)]);
    expect(errors[1]).toMatch(/^See agent-platform-sdk (\w+ )?--help$/);
  });

  const withSecret = ['listen', `replay x ${to}`, `trigger webhook_test ${to}`];
  test.each(withSecret)('%s without a secret', async (line) => {
    const { code, errors } = await finish(line.split(' '));
    expect([code, errors[0]]).toEqual([2, expect.stringContaining('_WEBHOOK_SECRET is not set')]);
  });
});

test('a terminal shows colours, a pipe with FORCE_COLOR too; NO_COLOR and a pipe get plain lines', () => {
  /** What a process prints whose output is a terminal, or a pipe. */
  const print = (isTTY: boolean, env: object = {}): string => {
    const code = `import { processTerminal } from './src/cli/terminal.ts';
      Object.assign(process.stdout, { isTTY: ${isTTY}, hasColors: () => process.env.NO_COLOR === undefined });
      const terminal = processTerminal();
      terminal.out('14:03:59  401      it is\\u0007', 'fail');
      terminal.out('fail  it is', 'fail');`;
    const args = ['--import', 'tsx', '--input-type=module', '-e', code];
    const all = { ...process.env, NO_COLOR: undefined, FORCE_COLOR: undefined, ...env };
    return spawnSync(process.execPath, args, { env: all, encoding: 'utf8' }).stdout;
  };
  const [dim, red] = ['\u001b[2m', '\u001b[31m'];
  const time = `${dim}14:03:59\u001b[22m`;
  // Control characters are printed by their numbers.
  expect(print(true)).toBe(`${time}  ${red}401\u001b[39m      it is\\u0007\n${red}fail\u001b[39m  it is\n`);
  expect(print(false, { FORCE_COLOR: '1' })).toContain(`${red}401`);
  for (const plain of [print(true, { NO_COLOR: '1' }), print(false), print(false, { FORCE_COLOR: '0' })]) {
    expect(plain).toBe('14:03:59  401      it is\\u0007\nfail  it is\n');
  }
});

describe('when the reader of its output has gone (node#947)', () => {
  /** Starts the command in a process of its own, and stops reading after its first line. */
  async function startUnread(...args: readonly string[]) {
    const env = { ...process.env, AGENT_PLATFORM_WEBHOOK_SECRET: 'a-workspace-secret' };
    const command = spawn(process.execPath, ['--import', 'tsx', 'src/cli/index.ts', ...args], { env });
    onTestFinished(() => void command.kill('SIGKILL'));
    const exited = once(command, 'exit');
    const [text] = (await once(command.stdout.setEncoding('utf8'), 'data')) as [string];
    command.stdout.destroy();
    return { text, exited };
  }

  test('a server goes on', async () => {
    // From source, because only a build has the fake's page.
    const { text } = await startUnread('listen', '--port', '0');
    const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(text) ?? [];
    // The lines of the first two cannot be written.
    for (let delivery = 0; delivery < 3; delivery += 1) {
      expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401);
    }
  });

  test('another command ends with 0', async () => {
    const file = newFile('{"type":"webhook_test","payload":{}}\n'.repeat(3));
    // Read to the end, it would exit with 1. Each response comes after the reader has gone.
    const gone = deferred();
    const target = await serve((_, response) => {
      void gone.promise.then(() => response.writeHead(500).end());
    });
    const { exited } = await startUnread('replay', file, '--to', target);
    gone.resolve();
    expect(await exited).toEqual([0, null]);
  });
});
