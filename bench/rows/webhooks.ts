import { type Measurement, type Row, SDK, type Setting } from './row.js';
import { conversationOf, delivery } from './texts.js';

const PARSING = 'JSON.parse';
const DEDUPE_OFF = `${SDK}, dedupe off`;
/** The last version that validates: as ours does, by Zod. */
const POLAR = '@polar-sh/sdk 0.49';

const libraries = [
  { subject: PARSING, library: 'parse' },
  { subject: SDK, library: 'sdk' },
  { subject: DEDUPE_OFF, library: 'sdk-dedupe-off' },
  { subject: `${SDK}, parseWebhook`, library: 'sdk-parse' },
  { subject: POLAR, library: 'polar', needs: '@polar-sh/sdk' },
  { subject: 'octokit', library: 'octokit', needs: '@octokit/webhooks' },
  { subject: 'stripe', library: 'stripe', needs: 'stripe' },
  { subject: 'svix', library: 'svix', needs: 'svix' },
  { subject: 'openai', library: 'openai', needs: 'openai' },
];

const sizes = [
  { size: '0.2 kB', atMost: 9, text: () => delivery('lead_captured') },
  { size: '8 kB', atMost: 1.8, text: () => conversationOf(8_000) },
  { size: '780 kB', atMost: 1.4, text: () => conversationOf(780_000) },
  // The largest that the default of `maxBodyBytes` lets in.
  { size: '8 MB', atMost: 1.4, text: () => conversationOf(8_000_000) },
];

/** Taking one event: verify, parse, dispatch; with ours and Polar's, validate; with ours, recognise duplicates, unless that is off. */
export function webhooks({ file }: Setting): Row {
  const events = sizes.map(({ size, atMost, text }) => ({
    atMost,
    metric: `webhook ${size}`,
    title: `taking a webhook of ${size}`,
    file: file(`webhook-${size.replace(' ', '')}.json`, text),
  }));
  return {
    id: 'webhooks',
    rounds: 5,
    metrics: events.map(({ metric, title, atMost }) => ({
      id: metric,
      title,
      unit: 'µs',
      baseline: PARSING,
      goals: [
        { subject: SDK, against: PARSING, atMost },
        ...[POLAR, 'octokit', 'stripe'].map((against) => ({ subject: DEDUPE_OFF, against, atMost: 1 })),
      ],
    })),
    measurements: libraries.map(
      ({ needs, ...library }): Measurement => ({
        program: 'webhook.mjs',
        task: { ...library, events },
        needs,
      }),
    ),
  };
}
