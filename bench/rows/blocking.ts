import type { Row, Setting } from './row.js';

const PARSING = 'JSON.parse';
const MODES = ['tolerant', 'report', 'strict'];
const MEBIBYTE = 1024 * 1024;
const SIZES = [1, 16];
/** Answers that cost JSON.parse little for what is wrong in them. */
const SHAPES = {
  'names beside the lists': {
    status: 200,
    around: ['{"success":true,"message":"ok","clients":[],"teams":[],', '}'],
    item: (index) => `"k${index}":1`,
  },
  'numbers for names beside the lists': {
    status: 200,
    around: ['{"success":true,"message":"ok","clients":[],"teams":[],', '}'],
    item: (index) => `"${index}":1`,
  },
  'numbers for names in a client': {
    status: 200,
    around: ['{"success":true,"message":"ok","teams":[],"clients":[{', '}]}'],
    item: (index) => `"${index}":1`,
  },
  'great numbers for names in a client': {
    status: 200,
    around: ['{"success":true,"message":"ok","teams":[],"clients":[{', '}]}'],
    item: (index) => `"${(index * 7_919) % 1_000_000_007}":1`,
  },
  'a number for a name in each client': {
    status: 200,
    around: ['{"success":true,"message":"ok","teams":[],"clients":[', ']}'],
    item: (index) => `{"ID":"c","${index}":1}`,
  },
  'wrong types': {
    status: 200,
    around: ['{"success":true,"message":"ok","teams":[],"clients":[', ']}'],
    item: () => '1',
  },
  'issues of an error': {
    status: 422,
    around: ['{"success":false,"message":"no","issues":[', ']}'],
    item: () => '{"code":"c","message":"m","path":["p"]}',
  },
} satisfies Record<string, Shape>;

interface Shape {
  readonly status: number;
  readonly around: readonly [string, string];
  readonly item: (index: number) => string;
}

/** How long a hostile answer keeps others from their turn of the event loop: the whole call, in each mode. */
export function blocking({ smoke, file }: Setting): Row {
  const answers = Object.entries<Shape>(SHAPES).flatMap(([shape, { status, around, item }]) =>
    (smoke ? [0.01] : SIZES).map((size) => ({
      metric: `blocking ${shape} ${size}`,
      title: `longest turn of the event loop: an answer of ${size} MiB, ${shape}`,
      status,
      file: file(`blocking-${shape.replaceAll(' ', '-')}-${size}.json`, () =>
        fill(around, item, size * MEBIBYTE),
      ),
    })),
  );
  return {
    id: 'blocking',
    rounds: 3,
    metrics: answers.map(({ metric, title }) => ({
      id: metric,
      title,
      unit: 'ms',
      baseline: PARSING,
      goals: MODES.map((subject) => ({ subject, against: PARSING, atMost: 3 })),
    })),
    measurements: answers.map(({ metric, status, file }) => ({
      program: 'blocking.mjs',
      task: { metric, status, file },
    })),
  };
}

function fill([before, after]: readonly [string, string], item: (index: number) => string, size: number) {
  const items: string[] = [];
  let length = 0;
  for (let index = 0; length < size; index += 1) {
    const text = item(index);
    items.push(text);
    length += text.length + 1;
  }
  return `${before}${items.join(',')}${after}`;
}
