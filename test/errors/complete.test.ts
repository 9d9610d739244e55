import { readFileSync } from 'node:fs';
import * as sdk from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import * as errors from '../../src/errors/index.js';

const classes = Object.keys(errors).filter((name) => name.endsWith('Error'));

test.each(classes)('%s is exported', (name) => {
  expect(sdk).toHaveProperty(name);
});

test.each(classes)('%s is in the README', (name) => {
  expect(readFileSync(new URL('../../README.md', import.meta.url), 'utf8')).toContain(`\`${name}\``);
});
