import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { report, task } from './measure.mjs';

const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const program = fileURLToPath(new URL(`../types/${task.consumer}`, import.meta.url));
const options = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022', '--module', 'nodenext'];
const output = execFileSync(process.execPath, [compiler, '--extendedDiagnostics', ...options, program], {
  encoding: 'utf8',
  cwd: fileURLToPath(new URL('..', import.meta.url)),
});

const figure = (label) => Number(new RegExp(`^${label}:\\s+([\\d.]+)`, 'm').exec(output)[1]);
report('instantiations', task.subject, figure('Instantiations'));
report('check-time', task.subject, figure('Check time'));
