import { findRows } from './filter.js';
import { Form } from './forms.js';
import { iconOf } from './icon.js';
import { List } from './list.js';
import { Link, TABS, type TabProps } from './selection.js';
import { Content } from './tabs.js';

/**
 * The page, rendered on the server. `live.ts` keeps the parts marked `data-live` up to date.
 *
 * @param parts - The ids of the parts to render. Default: all.
 */
export function Page({ parts, ...props }: TabProps & { readonly parts?: readonly string[] | undefined }) {
  const { fake, selection, origin } = props;
  const { host, port } = new URL(origin);
  const isAsked = (...ids: readonly string[]) => parts === undefined || ids.some((id) => parts.includes(id));
  const faults = fake.faults.list().length;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${host} · Fake platform`}</title>
        <link rel="icon" href={iconOf(host)} />
        <link rel="stylesheet" href="/_fake/page.css" />
        <script type="module" src="/_fake/page.js" />
      </head>
      <body>
        <header>
          <h1>Fake platform</h1>
          <code>{port === '' ? host : `:${port}`}</code>
          <span id="connection" role="status" />
          <Form label="Clear" action="DELETE /_fake/requests DELETE /_fake/deliveries" />
          <Form label="Reset" action="POST /_fake/reset" confirm="Reset the whole fake?" />
        </header>
        <main>
          <section aria-label="Requests and events">
            <input
              type="search"
              value={selection.filter}
              placeholder="Filter: failed eu 503 getTool event …"
              title="/ filters; j and k go through the list"
              aria-label="Filter"
            />
            <div id="list" data-live>
              {isAsked('list') && <List found={findRows(fake, selection.filter)} selection={selection} />}
            </div>
          </section>
          <section aria-label="Details">
            <nav id="tabs" data-live aria-label="Tabs">
              {TABS.map((tab) => (
                <Link to={{ ...selection, tab, kind: '' }} isCurrent={tab === selection.tab}>
                  {tab}
                  {tab === 'faults' && faults > 0 && <b class="mark fault">{faults}</b>}
                </Link>
              ))}
            </nav>
            <div id="content" data-live={selection.tab === 'details' || undefined}>
              {isAsked('content', 'items') && <Content {...props} />}
            </div>
          </section>
        </main>
      </body>
    </html>
  );
}
