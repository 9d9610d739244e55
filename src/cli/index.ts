#!/usr/bin/env node
import { run } from './main.js';
import { processTerminal } from './terminal.js';

void run(process.argv.slice(2), processTerminal()).then((code) => {
  process.exitCode = code;
});
