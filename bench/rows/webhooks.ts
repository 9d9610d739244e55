import { atMostEach, type Measurement, type Row, SDK, type Setting } from './row.js';
import { conversationOf, delivery } from './texts.js';

const PARSING = 'JSON.parse';

const libraries = [
  { subject: PARSING, library: 'parse' },
  { subject: SDK, library: 'sdk' },
  { subject: `${SDK}, with dedupe`, library: 'sdk-dedupe' },
  { subject: `${SDK}, parseWebhook`, library: 'sdk-parse' },
  { subject: 'octokit', library: 'octokit', needs: '@octokit/webhooks' },
  { subject: 'stripe', library: 'stripe', needs: 'stripe' },
  { subject: 'svix', library: 'svix', needs: 'svix' },
  { subject: 'openai', library: 'openai', needs: 'openai' },
];

const sizes = [
  { size: '0.2 kB', text: () => delivery('lead_captured') },
  { size: '8 kB', text: () => conversationOf(8_000) },
  { size: '780 kB', text: () => conversationOf(780_000) },
  { size: '10 MB', text: () => conversationOf(10_000_000) },
];

/** Taking one event: verify, parse, dispatch, and with ours, validate. */
export function webhooks({ smoke, file }: Setting): Row {
  const events = (smoke ? sizes.slice(0, 2) : sizes).map(({ size, text }) => ({
    metric: `webhook ${size}`,
    title: `taking a webhook of ${size}`,
    file: file(`webhook-${size.replace(' ', '')}.json`, text),
  }));
  return {
    id: 'webhooks',
    rounds: 5,
    metrics: events.map(({ metric, title }) => ({
      id: metric,
      title,
      unit: 'µs',
      baseline: PARSING,
      goals: atMostEach(1, 'octokit', 'stripe'),
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
