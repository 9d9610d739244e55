import { durationText, type PageRow } from '../rows.js';
import { findRows } from './filter.js';
import { Link, type Selection, type TabProps } from './selection.js';

/** The list of requests and deliveries: each row is a link to its details. */
export function List({ fake, selection }: TabProps) {
  const { rows, limits } = findRows(fake, selection.filter);
  if (rows.length === 0) return <p class="note">{limits ?? 'No requests or events yet.'}</p>;
  // The other tabs go on in the region of the row.
  const details: Selection = { ...selection, tab: 'details' };
  return (
    <>
      <ol>
        {rows.map((row) => (
          <li id={row.id}>
            <Link
              to={{ ...details, id: row.id, region: row.region ?? details.region }}
              isCurrent={row.id === selection.id}
            >
              <Title row={row} />
              <span class="note">
                {row.duration !== undefined && `${durationText(row.duration)} · `}
                <Time at={row.at} />
              </span>
              <Facts row={row} />
            </Link>
          </li>
        ))}
      </ol>
      {limits !== undefined && <p class="note">{limits}</p>}
    </>
  );
}

/** A time. `live.js` shows it in the time zone of the reader. */
export function Time({ at, isFull }: { at: number; isFull?: boolean }) {
  const text = new Date(at).toISOString();
  return (
    <time datetime={text} data-full={isFull}>
      {isFull === true ? text : `${text.slice(11, 19)} UTC`}
    </time>
  );
}

/** The outcome of a row, and what it is. */
export function Title({ row: { mark, failure, duration, verb, name } }: { row: PageRow }) {
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
export function Facts({ row: { region, fault, target, secret, failure, note } }: { row: PageRow }) {
  return (
    <span class="facts">
      <b class="mark">{region ?? '–'}</b>
      {fault !== undefined && <b class="mark fault">fault: {fault}</b>}
      <span>{target}</span>
      <span>{secret}</span>
      {failure !== undefined && <em>{failure}</em>}
      {note !== undefined && <i>{note}</i>}
    </span>
  );
}
