import { Form } from './forms.js';
import { List } from './list.js';
import { Link, TABS, type TabProps } from './selection.js';
import { Content } from './tabs.js';

/** The page, rendered on the server. `live.js` keeps its parts up to date. */
export function Page(props: TabProps) {
  const { fake, selection, origin } = props;
  const { host, port } = new URL(origin);
  const faults = fake.faults.list().length;
  // With an empty icon: without one, the browser asks for it, and that would be a row.
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${host} · Fake platform`}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="/_fake/page.css" />
        <script defer src="/_fake/idiomorph.js" />
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
            <p class="fresh">
              <button id="fresh" type="button" hidden />
            </p>
            <div id="list" tabindex={-1}>
              <List {...props} />
            </div>
          </section>
          <section aria-label="Details">
            <nav id="tabs" aria-label="Tabs">
              {TABS.map((tab) => (
                <Link to={{ ...selection, tab, kind: '' }} isCurrent={tab === selection.tab}>
                  {tab}
                  {tab === 'faults' && faults > 0 && <b class="mark fault">{faults}</b>}
                </Link>
              ))}
            </nav>
            <div id="content" tabindex={-1}>
              <Content {...props} />
            </div>
          </section>
        </main>
      </body>
    </html>
  );
}
