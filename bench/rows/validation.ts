import { recordSamples } from './records.js';
import { atMostEach, type Row, SDK, type Setting } from './row.js';

const PARSING = 'JSON.parse';

/** Holding a record against its schema, beside parsing the text it came in. */
export function validation({ file }: Setting): Row {
  const records = recordSamples.map(({ schema, title, fields, record }) => ({
    metric: `validation ${title} ${fields}`,
    title: `validating a ${title}, ${fields}`,
    schema,
    file: file(`${schema}-${fields}.json`, () => JSON.stringify(record)),
  }));
  return {
    id: 'validation',
    rounds: 3,
    metrics: records.map(({ metric, title }) => ({
      id: metric,
      title,
      unit: 'µs',
      baseline: PARSING,
      goals: atMostEach(1, PARSING),
    })),
    measurements: records.map((record) => ({
      program: 'validation.mjs',
      task: { subject: SDK, records: [record] },
    })),
  };
}
