import * as sdk from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import * as errors from '../../src/errors/index.js';

const classes = Object.keys(errors).filter((name) => name.endsWith('Error'));

test.each(classes)('%s is exported', (name) => {
  expect(sdk).toHaveProperty(name);
});
