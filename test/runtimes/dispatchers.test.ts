import { execFile } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, inject, test } from 'vitest';
import { root } from '../package/consumer.js';
import { closedAddress } from '../support/server.js';
import { startCertifiedService, startProxy } from '../support/tunnels.js';
import { downloaded, installTool } from './tool-cache.js';

// The table of the guide: which undici fits the `fetch` of which Node.

const UNDICI = { 6: 'undici@6.29.1', 7: 'undici@7.30.2', 8: 'undici@8.13.1' } as const;
const SUPPORTED = [
  ['20', process.version.startsWith('v20.') ? undefined : '20.20.2', [6, 7]],
  ['22', '22.23.3', [6, 7]],
  ['24', '24.21.0', [6, 7]],
  ['26', '26.10.0', [7, 8]],
] as const;
const pairs = SUPPORTED.flatMap(([name, version, majors]) =>
  majors.map((major) => [name, major, version] as const),
);

const consumer = inject('consumer');

beforeAll(() => {
  const program = 'suite/dispatchers.mjs';
  cpSync(join(root, 'test/runtimes', program), join(consumer, program));
});

async function nodeBinary(version: string | undefined): Promise<string> {
  if (version === undefined) return process.execPath;
  const name = `node-${process.platform}-${process.arch}`;
  return join(await installTool(`${name}@${version}`), name, 'bin/node');
}

test.for(pairs)('Node %s with undici %i', async ([, major, version], context) => {
  const node = await downloaded(nodeBinary(version), context);
  const undici = join(await downloaded(installTool(UNDICI[major]), context), 'undici/index.js');
  const { url, methods, credentials } = await startCertifiedService();
  const proxy = await startProxy();
  const settings = JSON.stringify({ url, proxy: proxy.url, closed: await closedAddress(), ...credentials });
  const args = ['suite/dispatchers.mjs', pathToFileURL(undici).href, settings];
  const { stdout } = await promisify(execFile)(node, args, { cwd: consumer });
  expect(JSON.parse(stdout)).toEqual(['deleted', 'deleted', 'ECONNREFUSED false']);
  expect([proxy.tunnels, methods]).toEqual([[new URL(url).host], ['DELETE', 'DELETE']]);
});
