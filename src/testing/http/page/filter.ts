import type { ControlledFake } from '../controlled-fake.js';
import { deliveryRow, type Row, requestRow } from '../rows.js';

/** The newest rows that the list shows. `/_fake/requests` and `/_fake/deliveries` have all. */
const MAX_ROWS = 200;

/** The newest requests, and as many deliveries, that a filter looks through. */
const MAX_SEARCHED = 1_000;

/** The rows of both regions in which every word of a filter occurs, the newest first. */
export function listRows({ requests, webhooks }: ControlledFake, filter: string): readonly Row[] {
  const words = filter.toLowerCase().split(/\s+/);
  return [
    ...requests.slice(-MAX_SEARCHED).map(requestRow),
    ...webhooks.deliveries.slice(-MAX_SEARCHED).map(deliveryRow),
  ]
    .filter((row) => words.every((word) => textOf(row).includes(word)))
    .reverse()
    .sort((one, other) => other.at - one.at)
    .slice(0, MAX_ROWS);
}

/** What a filter looks in: all that a row shows, and `failed` if it did. */
function textOf({ region, mark, verb, name, target, secret, fault, failure }: Row): string {
  const more = `${fault === undefined ? '' : `fault: ${fault}`} ${failure === undefined ? '' : `failed ${failure}`}`;
  return `${region} ${mark} ${verb} ${name} ${target} ${secret} ${more}`.toLowerCase();
}
