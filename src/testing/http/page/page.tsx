import { Form } from './forms.js';
import { List } from './list.js';
import { Link, TABS, type TabProps } from './selection.js';
import { Content } from './tabs.js';

/** The page, rendered on the server. `live.js` keeps its parts up to date. */
export function Page(props: TabProps) {
  const { fake, selection, origin } = props;
  const { host, port } = new URL(origin);
  const faults = fake.faults.list().length;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${host} · Fake platform`}</title>
        <link rel="icon" href={iconOf(host)} />
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

/** The icon of a fake: the end of its port, in a colour of its own. Two fakes differ in a row of tabs. */
function iconOf(host: string): string {
  const port = host.split(':').at(-1) ?? '';
  // Golden angle: ports beside each other get colours far from each other.
  const hue = (Number(host.replace(/\D/g, '').slice(-5)) * 137.5) % 360;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="hsl(${hue} 60% 40%)"/>
<text x="16" y="23" font="bold" font-family="sans-serif" font-size="19" fill="#fff" text-anchor="middle">${port.slice(-2)}</text>
</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
