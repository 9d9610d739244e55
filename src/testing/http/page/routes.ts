import type { Hono } from 'hono';
import idiomorph from 'idiomorph/dist/idiomorph.min.js?raw';
import { REGIONS } from '../../../utils/regions.js';
import type { ControlledFake } from '../controlled-fake.js';
import script from './live.js?raw';
import { Page } from './page.js';
import { TABS } from './selection.js';
import styles from './style.css?raw';
import watchScript from './watch.js?raw';

/** Nothing but the page's own files: no inline script, no other host, no frame. */
const SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
  "base-uri 'none'; frame-ancestors 'none'";

const SCRIPT = { 'content-type': 'text/javascript' };

/** Serves the page of a fake at `/`. Its address selects the tab, the region, the kind and the row. */
export function addPage(app: Hono, fake: ControlledFake): void {
  app.get('/', async (context) => {
    const query = context.req.query();
    const tab = TABS.find((name) => name === query.tab) ?? TABS[0];
    const { kind = '', id = '', filter = '' } = query;
    const row = [...fake.requests, ...fake.webhooks.deliveries].find((each) => each.id === id);
    const region = REGIONS.find((name) => name === query.region) ?? row?.region ?? 'eu';
    const { origin } = new URL(context.req.url);
    const selection = { tab, region, kind, id, filter };
    const page = await Page({ fake, selection, origin });
    context.header('content-security-policy', SECURITY_POLICY);
    return context.html(`<!doctype html>${page}`);
  });
  app.get('/_fake/watch.js', (context) => context.body(watchScript, 200, SCRIPT));
  app.get('/_fake/idiomorph.js', (context) => context.body(idiomorph, 200, SCRIPT));
  app.get('/_fake/page.js', (context) => context.body(script, 200, SCRIPT));
  app.get('/_fake/page.css', (context) => context.body(styles, 200, { 'content-type': 'text/css' }));
}
