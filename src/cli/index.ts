#!/usr/bin/env node
import { printable } from '../ground/printable.js';
import { run } from './commands.js';

/** The first signal ends the command in order; the second one ends it at once, as without a listener. */
function stopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => resolve());
  });
}

async function main(): Promise<void> {
  process.exitCode = await run(process.argv.slice(2), {
    // What is told came over the network, in part.
    out: (text) => console.log(printable(text)),
    error: (text) => console.error(printable(text)),
    stopped,
    env: process.env,
    isInteractive: process.stdout.isTTY,
  });
}

void main();
