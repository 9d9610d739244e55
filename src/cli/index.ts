#!/usr/bin/env node
import { processTerminal, run } from './run.js';

async function main(): Promise<void> {
  process.exitCode = await run(process.argv.slice(2), processTerminal());
}

void main();
