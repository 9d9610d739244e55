import { Link, type Selection } from './selection.js';

/** One row of a list. */
export interface Row {
  readonly id: string;
  readonly text: string;
  /** Shown before the text, such as a time. */
  readonly note?: string;
  /** A status or an outcome, coloured. */
  readonly mark?: { readonly text: string; readonly isGood: boolean };
}

/** The list of the page: its rows, each a link to its detail. */
export function List({ rows, selection }: { rows: readonly Row[]; selection: Selection }) {
  if (rows.length === 0) return <p class="note">None yet.</p>;
  return (
    <ul>
      {rows.map(({ id, text, note, mark }) => (
        <li>
          <Link to={{ ...selection, id }} isCurrent={id === selection.id}>
            {note !== undefined && <span class="note">{note}</span>}
            {mark !== undefined && <b class={mark.isGood ? 'good' : 'bad'}>{mark.text}</b>}
            <span>{text}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
