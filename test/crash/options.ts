import { parseArgs } from 'node:util';
import { DURABLE } from '../../scripts/redis-server.js';

/** How Redis keeps what it has acknowledged. */
const PERSISTENCE: Readonly<Record<string, readonly string[]>> = {
  always: DURABLE,
  everysec: [...DURABLE, '--appendfsync', 'everysec'],
  none: ['--save', '', '--appendonly', 'no'],
};

/** How the campaign is run. */
export interface CampaignOptions {
  readonly events: number;
  readonly seed: number;
  readonly persistence: string;
  readonly redis: readonly string[];
}

/** `--events 20000 --seed 1 --persistence always`; each has a default. */
export function readOptions(): CampaignOptions {
  const { values } = parseArgs({
    options: {
      events: { type: 'string', default: '20000' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      persistence: { type: 'string', default: 'always' },
    },
  });
  const redis = PERSISTENCE[values.persistence];
  if (redis === undefined) throw new Error(`--persistence is one of ${Object.keys(PERSISTENCE).join(', ')}`);
  return { events: Number(values.events), seed: Number(values.seed), persistence: values.persistence, redis };
}
