import type { ControlledFake } from '../controlled-fake.js';
import { deliveryRow, type PageRow, requestRow } from '../rows.js';

/** The newest rows that the list shows. `/_fake/requests` and `/_fake/deliveries` have all. */
const MAX_ROWS = 200;

/** The newest requests, and as many deliveries, that a filter looks through. */
const MAX_SEARCHED = 1_000;

/** Finds the rows that contain every word of a filter, the newest first. `limits` says if there are more. */
export function findRows({ requests, webhooks: { deliveries } }: ControlledFake, filter: string) {
  const words = filter.toLowerCase().split(/\s+/);
  const found = [
    ...requests.slice(-MAX_SEARCHED).map(requestRow),
    ...deliveries.slice(-MAX_SEARCHED).map(deliveryRow),
  ]
    .filter((row) => words.every((word) => searchedText(row).includes(word)))
    .reverse()
    .sort((one, other) => other.at - one.at);
  const rows = found.slice(0, MAX_ROWS);
  const isPartial = requests.length > MAX_SEARCHED || deliveries.length > MAX_SEARCHED;
  const searched = isPartial ? ' in the newest 1,000 requests and 1,000 events' : '';
  if (found.length === 0) return { rows, limits: filter === '' ? undefined : `Nothing matches${searched}.` };
  const isCut = found.length > rows.length || isPartial;
  const limits = `The newest ${rows.length} of ${found.length}${searched}. All: /_fake/requests, /_fake/deliveries.`;
  return { rows, limits: isCut ? limits : undefined };
}

/** Writes all that a row shows as text for a filter, with `failed` if it did. */
function searchedText({ region, mark, verb, name, target, secret, fault, failure, note }: PageRow): string {
  const more = `${fault === undefined ? '' : `fault: ${fault}`} ${failure === undefined ? '' : `failed ${failure}`}`;
  return `${region ?? '–'} ${mark} ${verb} ${name} ${target} ${secret} ${more} ${note ?? ''}`.toLowerCase();
}
