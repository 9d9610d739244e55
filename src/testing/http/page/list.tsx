import { durationText, timeOfDay } from '../describe.js';
import type { Row } from '../rows.js';
import { Link, type Selection } from './selection.js';

/** The list of requests and deliveries: each row is a link to its details. */
export function List({ rows, selection }: { rows: readonly Row[]; selection: Selection }) {
  if (rows.length === 0) {
    return <p class="note">{selection.filter === '' ? 'No requests or events yet.' : 'Nothing matches.'}</p>;
  }
  return (
    <ol>
      {rows.map((row) => (
        <li>
          <Link to={{ ...selection, tab: 'details', id: row.id }} isCurrent={row.id === selection.id}>
            <Title row={row} />
            <span class="note">
              {row.duration !== undefined && `${durationText(row.duration)} · `}
              {timeOfDay(row.at)}
            </span>
            <Facts row={row} />
          </Link>
        </li>
      ))}
    </ol>
  );
}

/** The outcome of a row, and what it is. */
export function Title({ row: { mark, failure, duration, verb, name } }: { row: Row }) {
  const tone = duration === undefined ? 'open' : failure === undefined ? 'good' : 'bad';
  return (
    <>
      <b class={`mark ${tone}`}>{mark}</b>
      <code class="name">
        <b>{verb}</b> {name}
      </code>
    </>
  );
}

/** All that explains the outcome of a row. */
export function Facts({ row: { region, fault, target, secret, failure } }: { row: Row }) {
  return (
    <span class="facts">
      <b class="mark">{region}</b>
      {fault !== undefined && <b class="mark fault">fault: {fault}</b>}
      <span>{target}</span>
      <span>{secret}</span>
      {failure !== undefined && <em>{failure}</em>}
    </span>
  );
}
