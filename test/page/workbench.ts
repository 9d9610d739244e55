import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createFakePlatform } from 'agent-platform-sdk/testing';

/** A value that a browser would obey if it took it for a part of the page. */
export const EVIL = '<img src=x onerror="document.title=1">';

export const { eu: SEED, na: SEED_OF_NA } = createFakePlatform().seed;
export const TOKEN = SEED.workspaceSecret;

/** The built command, which serves the page, and a receiver of webhooks beside it. */
export async function openWorkbench(port = '0') {
  const child = spawn(process.execPath, ['dist/cli/index.js', 'fake', '--port', port]);
  const greeting = await new Promise<string>((resolve) =>
    child.stdout.setEncoding('utf8').once('data', resolve),
  );
  const url = /listens at (\S+)\. /.exec(greeting)?.[1] ?? '';
  const received: string[] = [];
  const receiver = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (text: string) => received.push(text));
    request.on('end', () => response.end(EVIL));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => receiver.once('listening', resolve));
  return {
    url,
    /** The address of the receiver, and the bodies that it has got. */
    hook: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`,
    received,
    /** Calls the service, in region eu. */
    call: (path: string, init: { method?: string; body?: string } = {}) =>
      fetch(`${url}/eu/v3${path}`, {
        ...init,
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      }),
    /** Asks the control of the fake for JSON. */
    asked: async (path: string) => (await fetch(`${url}/_fake${path}`)).json(),
    end() {
      child.kill('SIGKILL');
      receiver.close();
    },
  };
}
