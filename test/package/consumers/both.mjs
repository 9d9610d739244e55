import { createRequire } from 'node:module';
import * as esm from 'agent-platform-sdk';

const common = createRequire(import.meta.url)('agent-platform-sdk');

const make = ({ ConfigurationError }) => new ConfigurationError('A message.', { option: 'region' });

console.log(
  JSON.stringify({
    esmIsCommon: make(esm) instanceof common.ConfigurationError,
    commonIsEsm: make(common) instanceof esm.ConfigurationError,
    subclassIsNotSibling: !(make(common) instanceof esm.ApiError),
  }),
);
