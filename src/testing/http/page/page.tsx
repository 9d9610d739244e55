import type { Child } from 'hono/jsx';

/** One field of a form. */
export interface Field {
  readonly name: string;
  readonly value?: string;
  /** The values to choose from. */
  readonly values?: readonly string[];
  readonly type?: 'text' | 'number' | 'checkbox' | 'json';
}

/** One row of a list. */
export interface Row {
  readonly id: string;
  readonly text: string;
  /** Shown before the text, such as a time. */
  readonly note?: string;
  /** A status or an outcome, coloured. */
  readonly mark?: { readonly text: string; readonly isGood: boolean };
}

/** What the address of the page selects. */
export interface Selection {
  readonly tab: string;
  readonly region: 'eu' | 'na';
  /** The selected collection, event type or kind of fault. */
  readonly kind: string;
  /** The selected row. */
  readonly id: string;
}

/** The content of one tab: a list beside its detail, and forms. */
export interface Content {
  readonly selection: Selection;
  /** The kinds to choose from: collections, event types, kinds of faults. */
  readonly kinds?: readonly string[];
  readonly title: string;
  readonly rows: readonly Row[];
  /** The selected row, each part under its name. */
  readonly detail?: object | undefined;
  readonly detailForms?: readonly FormProps[];
  readonly forms: readonly FormProps[];
}

export const TABS = ['requests', 'records', 'webhooks', 'faults', 'settings'] as const;

/** The whole page, rendered on the server. `live.ts` keeps the parts marked `data-live` up to date. */
export function Page({ content }: { content: Content }) {
  const { selection, kinds = [], title, rows, detail, detailForms = [], forms } = content;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Fake platform</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="/_fake/page.css" />
        <script type="module" src="/_fake/page.js" />
      </head>
      <body>
        <Header selection={selection} />
        <main>
          {kinds.length > 0 && (
            <nav id="kinds" data-live aria-label="Kinds">
              {kinds.map((kind) => (
                <Link to={{ ...selection, kind, id: '' }} isCurrent={kind === selection.kind}>
                  {kind}
                </Link>
              ))}
            </nav>
          )}
          <div class="columns">
            <section id="list" data-live aria-label="List">
              <h2>
                {title} <span class="note">{rows.length}</span>
              </h2>
              <List rows={rows} selection={selection} />
            </section>
            <section aria-label="Detail">
              <div id="detail" data-live>
                {detail !== undefined && <Detail detail={detail} />}
              </div>
              {detailForms.map((form) => (
                <Form {...form} />
              ))}
            </section>
          </div>
          {forms.map((form) => (
            <Form {...form} />
          ))}
        </main>
      </body>
    </html>
  );
}

function Header({ selection }: { selection: Selection }) {
  return (
    <header>
      <h1>Fake platform</h1>
      <nav aria-label="Tabs">
        {TABS.map((tab) => (
          <Link to={{ ...selection, tab, kind: '', id: '' }} isCurrent={tab === selection.tab}>
            {tab}
          </Link>
        ))}
      </nav>
      <nav aria-label="Regions">
        {(['eu', 'na'] as const).map((region) => (
          <Link to={{ ...selection, region, id: '' }} isCurrent={region === selection.region}>
            {region}
          </Link>
        ))}
      </nav>
      <Form
        label="Reset"
        action="POST /_fake/reset"
        confirm="Reset records, requests, faults and deliveries?"
      />
      <output id="connection" />
      <noscript>Forms need JavaScript.</noscript>
    </header>
  );
}

function Link(props: { to: Selection; isCurrent: boolean; children: Child }) {
  const query = new URLSearchParams({ ...props.to }).toString();
  return (
    <a href={`/?${query}`} aria-current={props.isCurrent ? 'page' : undefined}>
      {props.children}
    </a>
  );
}

function List({ rows, selection }: { rows: readonly Row[]; selection: Selection }) {
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

function Detail({ detail }: { detail: object }) {
  return (
    <dl>
      {Object.entries<unknown>({ ...detail })
        .filter(([, value]) => value !== undefined && value !== '')
        .map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>
              <Value value={typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)} />
            </dd>
          </>
        ))}
    </dl>
  );
}

function Value({ value }: { value: string }) {
  return value.includes('\n') ? <pre>{value}</pre> : <span>{value}</span>;
}

/** A form that is posted as JSON by `live.ts`. */
export interface FormProps {
  readonly label: string;
  /** The method and the path: `POST /_fake/events`. */
  readonly action: string;
  /** Fields that are always sent. */
  readonly fixed?: object;
  readonly fields?: readonly Field[];
  /** Asked before anything is sent. */
  readonly confirm?: string;
}

function Form({ label, action, fixed, fields = [], confirm }: FormProps) {
  return (
    <form data-action={action} data-fixed={fixed && JSON.stringify(fixed)} data-confirm={confirm}>
      {fields.length > 0 && (
        <fieldset>
          <legend>{label}</legend>
          {fields.map((field) => (
            <FieldInput field={field} />
          ))}
        </fieldset>
      )}
      <button type="submit">{label}</button> <output />
    </form>
  );
}

function FieldInput({ field: { name, value = '', values, type = 'text' } }: { field: Field }) {
  const attributes = { name, 'data-type': type };
  if (values !== undefined) {
    return (
      <label>
        {name}
        <select {...attributes}>
          {values.map((each) => (
            <option value={each} selected={each === value}>
              {each}
            </option>
          ))}
        </select>
      </label>
    );
  }
  if (type === 'json') {
    return (
      <label class="wide">
        {name}
        <textarea {...attributes}>{value}</textarea>
      </label>
    );
  }
  return (
    <label>
      {name}
      <input {...attributes} type={type === 'checkbox' ? 'checkbox' : 'text'} value={value} />
    </label>
  );
}
