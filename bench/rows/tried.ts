import { BARE_FETCH, bareFetch, kySetUp, sdk } from './clients.js';
import { recordSamples } from './records.js';
import type { Metric, Row, Setting } from './row.js';
import { conversationOf, delivery } from './texts.js';

/** The ways that were tried, so that the figures of bench/NOTES.md can be had again: `--only tried-ky`. */
export const tried = {
  'tried-ky': kyVersions,
  'tried-validator': validator,
  'tried-hashing': hashing,
} satisfies Readonly<Record<string, (setting: Setting) => Row>>;

function metric(id: string, title: string, baseline: string): Metric {
  return { id, title, unit: 'µs', baseline, goals: [] };
}

/** ky in its two lines, as the transport uses it; between them and this package lies what the transport adds. */
function kyVersions({ smoke, baseUrl }: Setting): Row {
  const versions = [
    { subject: 'ky 2.1.0', client: 'ky-carries', ky: 'ky', needs: 'ky' },
    { subject: 'ky 1.14.3', client: 'ky-carries', ky: 'ky-1', needs: 'ky-1' },
  ];
  const calls = smoke ? 20 : 4_000;
  const each = (program: string) =>
    [bareFetch, sdk, kySetUp, ...versions].map(({ needs, ...way }) => ({
      program,
      task: { ...way, baseUrl, calls },
      needs,
    }));
  return {
    id: 'tried-ky',
    rounds: 7,
    metrics: [
      metric('cpu-1', 'CPU per call, 1 in flight', BARE_FETCH),
      metric('cpu-32', 'CPU per call, 32 in flight', BARE_FETCH),
      { ...metric('start-cpu', 'process start to first parsed response, CPU', BARE_FETCH), unit: 'ms' },
      { ...metric('tried-ky-size', 'in a bundle, minified and gzipped', 'ky 1.14.3'), unit: 'bytes' },
    ],
    measurements: [
      ...each('cpu.mjs'),
      ...each('start.mjs'),
      ...versions.map(({ needs, ...task }) => ({ program: 'tried/size.mjs', task, needs })),
    ],
  };
}

function validator({ file }: Setting): Row {
  const samples = recordSamples.map(({ schema, title, fields, record }) => ({
    metric: `tried-validator ${title} ${fields}`,
    title: `validating a ${title}, ${fields}`,
    schema,
    file: file(`${schema}-${fields}.json`, () => JSON.stringify(record)),
  }));
  return {
    id: 'tried-validator',
    rounds: 3,
    metrics: samples.map((sample) => metric(sample.metric, sample.title, 'JSON.parse')),
    measurements: samples.map((task) => ({ program: 'tried/validator.mjs', task })),
  };
}

function hashing({ file }: Setting): Row {
  const events = [
    { metric: 'tried-hashing 0.3 kB', file: file('lead.json', () => delivery('lead_captured')) },
    { metric: 'tried-hashing 780 kB', file: file('webhook-780kB.json', () => conversationOf(780_000)) },
  ];
  return {
    id: 'tried-hashing',
    rounds: 5,
    metrics: events.map((event) => metric(event.metric, `${event.metric.slice(6)} of text`, 'WebCrypto')),
    measurements: events.map((task) => ({ program: 'tried/hashing.mjs', task })),
  };
}
