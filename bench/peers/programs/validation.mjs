// Every record is parsed anew, as an answer is: a value that was validated before would be cheaper to walk.
import { readFileSync } from 'node:fs';
import { schemas, validateOwn } from 'bench-internals';
import { microsPer, report, task } from './measure.mjs';

for (const { metric, schema, file } of task.records) {
  const text = readFileSync(file, 'utf8');
  const parsed = await microsPer(() => JSON.parse(text));
  const validated = await microsPer(() => {
    const verdict = validateOwn(schemas[schema], JSON.parse(text), task.mode ?? 'strict');
    if (!verdict.ok) throw new Error(`${file}: ${JSON.stringify(verdict.issues)}`);
  });
  report(metric, 'JSON.parse', parsed);
  report(metric, task.subject, task.parseToo ? validated : Math.max(0, validated - parsed));
}
