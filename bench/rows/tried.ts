import { BARE_FETCH, bareFetch, sdk } from './clients.js';
import { recordSamples } from './records.js';
import type { Metric, Row, Setting } from './row.js';
import { conversationOf, delivery } from './texts.js';

/** The ways that were tried, so that the figures of bench/NOTES.md can be had again: `--only tried-transport`. */
export const tried = {
  'tried-transport': transport,
  'tried-validator': validator,
  'tried-context': context,
  'tried-forgetting': forgetting,
  'tried-hashing': hashing,
} satisfies Readonly<Record<string, (setting: Setting) => Row>>;

function metric(id: string, title: string, baseline: string): Metric {
  return { id, title, unit: 'µs', baseline, goals: [] };
}

function transport({ smoke, baseUrl }: Setting): Row {
  const ways = [
    bareFetch,
    sdk,
    { subject: 'fetch with a signal and a timer', client: 'fetch-signal' },
    { subject: 'ky', client: 'ky', needs: 'ky' },
    { subject: 'node:http', client: 'http' },
  ];
  return {
    id: 'tried-transport',
    rounds: 7,
    metrics: [
      metric('cpu-1', 'CPU per call, 1 in flight', BARE_FETCH),
      metric('cpu-32', 'CPU per call, 32 in flight', BARE_FETCH),
    ],
    measurements: ways.map(({ needs, ...way }) => ({
      program: 'cpu.mjs',
      task: { ...way, baseUrl, calls: smoke ? 20 : 2_000 },
      needs,
    })),
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

function context(): Row {
  return {
    id: 'tried-context',
    rounds: 5,
    metrics: [metric('tried-context', 'making the context of a delivery', 'a signal made at once')],
    measurements: [{ program: 'tried/context.mjs', task: {} }],
  };
}

function forgetting({ smoke }: Setting): Row {
  const task = smoke ? { keys: 100, added: 100 } : { keys: 1_000_000, added: 100_000 };
  return {
    id: 'tried-forgetting',
    rounds: 3,
    metrics: [metric('tried-forgetting', 'forgetting the oldest of a million keys', 'one iterator, kept')],
    measurements: [{ program: 'tried/forgetting.mjs', task }],
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
