import { atMostEach, type Row, SDK, type Setting } from './row.js';

const PARSING = 'JSON.parse';
const SIZES = [10_000, 100_000];
/** Clients that depart in little text, which costs JSON.parse little. */
const SHAPES = {
  'missing ids': () => '{}',
  'wrong types': () => '1',
  'new fields': () => '{"ID":"c","grown":1}',
  'new fields with numbers for names': (index: number) => `{"ID":"c","${index}":1}`,
} satisfies Record<string, (index: number) => string>;

/** Parsing an answer that departs from the specification very often, and finding where: a service that has grown, or an attack. */
export function drift({ smoke, file }: Setting): Row {
  const records = Object.entries(SHAPES).flatMap(([shape, client]) =>
    (smoke ? [100] : SIZES).map((size) => ({
      metric: `drift ${shape} ${size}`,
      title: `drift: ${size.toLocaleString('en')} departures in one answer, ${shape}`,
      schema: 'membersAndTeams',
      file: file(`drift-${shape.replaceAll(' ', '-')}-${size}.json`, () => {
        const clients = Array.from({ length: size }, (_, index) => client(index)).join(',');
        return `{"success":true,"message":"ok","clients":[${clients}],"teams":[]}`;
      }),
    })),
  );
  return {
    id: 'drift',
    rounds: 3,
    metrics: records.map(({ metric, title }) => ({
      id: metric,
      title,
      unit: 'µs',
      baseline: PARSING,
      goals: atMostEach(3, PARSING),
    })),
    measurements: records.map((record) => ({
      program: 'validation.mjs',
      task: { subject: SDK, records: [record], parseToo: true, mode: 'report' },
    })),
  };
}
