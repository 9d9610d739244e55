// Zod alone, and Zod behind each validator that was tried.
import { readFileSync } from 'node:fs';
import { safeParse, schemas, validateOwn } from 'bench-internals';
import { microsPer, report, task } from '../measure.mjs';

const { metric, schema, file } = task;
const text = readFileSync(file, 'utf8');
const parsing = await microsPer(() => JSON.parse(text));
const beyondParsing = async (validate) => (await microsPer(() => validate(JSON.parse(text)))) - parsing;

report(metric, 'JSON.parse', parsing);
report(metric, 'Zod alone', await beyondParsing((value) => safeParse(schemas[schema], value)));
report(
  metric,
  'quick check first',
  await beyondParsing((value) => validateOwn(schemas[schema], value, 'strict')),
);
