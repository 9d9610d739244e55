#!/usr/bin/env node
import { run } from './main.js';
import { processTerminal } from './terminal.js';

async function main(): Promise<void> {
  process.exitCode = await run(process.argv.slice(2), processTerminal());
}

void main();
