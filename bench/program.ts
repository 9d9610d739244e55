import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Measurement } from './rows/row.js';
import { programs } from './sandbox.js';

/** One figure that a program has reported. */
export interface Sample {
  readonly metric: string;
  readonly subject: string;
  readonly value: number;
}

/** Runs a program to its end, and reads what it reports. */
export async function run({ program, task, flags = [] }: Measurement, effort: number): Promise<Sample[]> {
  const argument = JSON.stringify({ effort, ...task });
  const child = spawn(process.execPath, [...flags, join(programs, program), argument], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let complaint = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text;
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  if (code !== 0) throw new Error(`${program} ${argument} ended with ${code ?? signal}\n${complaint}`);
  // Programs report one sample a line, and nothing else.
  return output.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Sample] : []));
}

/** A server in a process of its own, so that its CPU is nobody's. */
export async function startServer(body: string): Promise<{ baseUrl: string; stop: () => void }> {
  const server = fork(join(programs, 'server.mjs'), [JSON.stringify({ body })], { execArgv: [] });
  const [baseUrl] = (await once(server, 'message')) as [string];
  return { baseUrl, stop: () => void server.kill() };
}
