import { listingOf } from './records.js';
import { atMostEach, type Row, SDK, type Setting } from './row.js';
import { turnsOf } from './texts.js';

const PARSING = 'JSON.parse';
const SIZES = [10, 100, 1_000, 10_000, 100_000];
/** From here on, what does not grow weighs nothing, and the ratio is that of the slopes. */
const SLOPE_FROM = 1_000;

/** Parsing and validating what grows: a chat history, a list. */
export function scale({ smoke, file }: Setting): Row {
  const records = (smoke ? SIZES.slice(0, 2) : SIZES).flatMap((size) => [
    {
      metric: `scale turns ${size}`,
      title: `parsing and validating a conversation of ${size.toLocaleString('en')} turns`,
      size,
      schema: 'conversationUpdated',
      file: file(`turns-${size}.json`, () => conversation(size)),
    },
    {
      metric: `scale clients ${size}`,
      title: `parsing and validating a list of ${size.toLocaleString('en')} clients`,
      size,
      schema: 'membersAndTeams',
      file: file(`clients-${size}.json`, () => listingOf(size)),
    },
  ]);
  return {
    id: 'scale',
    rounds: 3,
    metrics: records.map(({ metric, title, size }) => ({
      id: metric,
      title,
      unit: 'µs',
      baseline: PARSING,
      goals: size < SLOPE_FROM ? [] : atMostEach(1.25, PARSING),
    })),
    measurements: records.map((record) => ({
      program: 'validation.mjs',
      task: { subject: SDK, records: [record], parseToo: true },
    })),
  };
}

/** The payload of a `conversation_updated`, less its secret. */
function conversation(turns: number): string {
  const payload = {
    agentId: 'agent_1',
    convoId: 'convo_1',
    createdAt: 1_700_000_000_000,
    lightConvoData: { origin: 'web-chat' },
    operation: 'updated',
    turns: turnsOf(turns),
  };
  return JSON.stringify(payload);
}
