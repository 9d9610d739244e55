import { REGIONS } from '../../../utils/regions.js';
import { Form, type FormProps } from './forms.js';
import { List, type Row } from './list.js';
import { Link, type Selection, TABS } from './selection.js';

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
        {REGIONS.map((region) => (
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
