import type { Hono } from 'hono';
import type * as z from 'zod/mini';
import { isObject } from '../ground/json.js';
import { REGIONS, type Region } from '../ground/regions.js';
import { script } from '../page/live.js';
import {
  type Content,
  type Field,
  type FormProps,
  Page,
  type Row,
  type Selection,
  TABS,
} from '../page/page.js';
import { styles } from '../page/style.js';
import { isWebhookEventType, type WebhookEventType, webhookEvents } from '../webhooks/events.js';
import { environmentOf } from './environment.js';
import type { FakePlatform } from './fake.js';
import { FAULT_KINDS, type FaultKind } from './faults.js';
import { createFixtures } from './fixtures/fixtures.js';
import { collectionNames } from './records.js';

/** The newest requests, and deliveries, in a list. All of them are at `/_fake/requests` and `/_fake/deliveries`. */
const MAX_ROWS = 200;

/** Nothing but the page's own files: no inline script, no other host, no frame. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'";

/** Serves the page of a fake at `/`. Its address selects the tab, the region, the kind and the row. */
export function addPage(app: Hono, fake: FakePlatform): void {
  app.get('/', async (context) => {
    const { tab = TABS[0], region, kind = '', id = '' } = context.req.query();
    const selection = { tab, region: REGIONS.find((name) => name === region) ?? 'eu', kind, id } as const;
    const content = contents[tab]?.(fake, selection, new URL(context.req.url).origin);
    if (content === undefined) return context.notFound();
    context.header('content-security-policy', POLICY);
    return context.html(`<!doctype html>${await Page({ content })}`);
  });
  app.get('/_fake/page.js', (context) => context.body(script, 200, { 'content-type': 'text/javascript' }));
  app.get('/_fake/page.css', (context) => context.body(styles, 200, { 'content-type': 'text/css' }));
}

type Describe = (
  fake: FakePlatform,
  selection: Selection & { readonly region: Region },
  origin: string,
) => Content;

/** The content of each tab. */
const contents: Readonly<Record<string, Describe>> = {
  requests(fake, selection) {
    const requests = fake.requests.filter(({ region }) => region === selection.region);
    const selected = requests.find(({ id }) => id === selection.id);
    const rows = requests.slice(-MAX_ROWS).map(
      ({ id, at, method, path, query, status }): Row => ({
        id,
        note: timeOf(at),
        mark: { text: String(status ?? '…'), isGood: status !== undefined && status < 400 },
        text: `${method} ${path}${query}`,
      }),
    );
    const forget: FormProps = { label: 'Clear requests', method: 'DELETE', path: '/_fake/requests' };
    return { selection, title: 'Requests', rows: rows.reverse(), detail: asJson(selected), forms: [forget] };
  },

  records(fake, selection) {
    const { region } = selection;
    const collection = collectionNames.find((name) => name === selection.kind) ?? 'tools';
    const records = fake.state[region][collection];
    const selected = records.get(selection.id);
    const path = `/_fake/records/${region}/${collection}`;
    const json = JSON.stringify(selected, undefined, 2);
    const edit: readonly FormProps[] = [
      {
        label: 'Save',
        method: 'PATCH',
        path: `${path}/${encodeURIComponent(selection.id)}`,
        fields: [{ name: 'body', type: 'json', value: json }],
      },
      { label: 'Remove', method: 'DELETE', path: `${path}/${encodeURIComponent(selection.id)}` },
    ];
    return {
      selection: { ...selection, kind: collection },
      kinds: collectionNames.map((name) => ({ name, text: `${name} ${fake.state[region][name].size}` })),
      title: collection,
      rows: [...records.keys()].map((id) => ({ id, text: id })),
      detailForms: selected === undefined ? [] : edit,
      forms: [
        {
          label: `Add to ${collection}`,
          method: 'POST',
          path,
          fields: [{ name: 'body', type: 'json', value: '{}' }],
        },
      ],
    };
  },

  webhooks(fake, selection) {
    const { region } = selection;
    const type = isWebhookEventType(selection.kind) ? selection.kind : 'lead_captured';
    const { deliveries } = fake.webhooks;
    const selected = deliveries.find(({ id }) => id === selection.id);
    const rows = deliveries.slice(-MAX_ROWS).map(
      ({ id, at, type: sent, status, outcome, address, duration }): Row => ({
        id,
        note: timeOf(at),
        mark: { text: String(status ?? outcome), isGood: outcome === 'success' },
        text: `${sent} ${address} ${duration} ms`,
      }),
    );
    const subscriptions = fake.webhooks.subscriptions.filter((each) => each.region === region);
    const path = `/_fake/deliveries/${selection.id}/resend`;
    return {
      selection: { ...selection, kind: type },
      kinds: Object.keys(webhookEvents).map((name) => ({ name, text: name })),
      title: 'Deliveries',
      rows: rows.reverse(),
      detail: asJson(selected),
      detailForms: selected === undefined ? [] : [{ label: 'Deliver again', method: 'POST', path }],
      forms: [
        {
          label: `Send ${type}`,
          method: 'POST',
          path: '/_fake/events',
          fixed: { type, region },
          fields: payloadFields(type, region),
        },
        {
          label: 'Subscribe',
          method: 'POST',
          path: '/_fake/subscriptions',
          fixed: { region },
          fields: [{ name: 'url', value: 'http://127.0.0.1:3000/webhooks' }],
        },
        ...subscriptions.map(
          ({ id, address, events }): FormProps => ({
            label: `Unsubscribe ${address} (${events?.join(', ') ?? 'all events'})`,
            method: 'DELETE',
            path: `/_fake/subscriptions/${id}`,
          }),
        ),
      ],
    };
  },

  faults(fake, selection) {
    const kind = FAULT_KINDS.find((name) => name === selection.kind) ?? 'status';
    const faults = fake.faults.list();
    const selected = faults.find(({ id }) => id === selection.id);
    const remove: FormProps = { label: 'Remove', method: 'DELETE', path: `/_fake/faults/${selection.id}` };
    return {
      selection: { ...selection, kind },
      kinds: FAULT_KINDS.filter((name) => name !== 'refused').map((name) => ({ name, text: name })),
      title: 'Faults',
      rows: faults.map(({ id, kind: name = 'status', endpoint = 'every call', remaining }) => ({
        id,
        text: `${name}, ${endpoint}, ${remaining} left`,
      })),
      detail: asJson(selected),
      detailForms: selected === undefined ? [] : [remove],
      forms: [
        {
          label: `Inject ${kind}`,
          method: 'POST',
          path: '/_fake/faults',
          fixed: { kind, region: selection.region },
          fields: [
            ...faultFields[kind],
            { name: 'endpoint', values: ['', ...fake.endpointNames] },
            { name: 'times', value: '1', type: 'number' },
            { name: 'acts', type: 'checkbox' },
          ],
        },
        { label: 'Clear faults', method: 'DELETE', path: '/_fake/faults' },
      ],
    };
  },

  settings(fake, selection, origin) {
    return {
      selection,
      title: 'Settings',
      rows: [],
      detail: { '.env': environmentOf(fake, selection.region, origin) },
      forms: [],
    };
  },
};

const status = (value: string): Field => ({ name: 'status', value, type: 'number' });

const faultFields: Readonly<Record<FaultKind, readonly Field[]>> = {
  status: [
    status('503'),
    { name: 'retryAfter', value: '0', type: 'number' },
    { name: 'code' },
    { name: 'message' },
  ],
  html: [status('502')],
  empty: [status('200')],
  'wrong-shape': [status('200')],
  truncated: [],
  stall: [
    { name: 'after', type: 'number' },
    { name: 'ms', type: 'number' },
  ],
  reset: [{ name: 'at', values: ['start', 'body'] }],
  refused: [],
  latency: [{ name: 'ms', value: '2000', type: 'number' }],
};

/** The form of an event: the fixture's fields, with lists for closed values. */
function payloadFields(type: WebhookEventType, region: Region): readonly Field[] {
  const { payload } = createFixtures({ region }).event(type);
  // Each payload is an object, which the table's type does not say.
  const { shape } = webhookEvents[type].payload as unknown as z.ZodMiniObject;
  const fields = Object.entries(payload)
    .filter(([name]) => name !== 'createdAt')
    .map(([name, value]): Field => {
      const values = valuesOf(shape[name]);
      const isText = typeof value === 'string';
      return {
        name: `payload.${name}`,
        value: isText ? value : JSON.stringify(value),
        type: isText ? 'text' : 'json',
        ...(values !== undefined && { values }),
      };
    });
  return [...fields, { name: 'copies', value: '1', type: 'number' }, { name: 'forged', type: 'checkbox' }];
}

/** The values of an enum. */
function valuesOf(schema: z.core.$ZodType | undefined): readonly string[] | undefined {
  // Zod's own union of its schemas, discriminated by `type`.
  const def = (schema as z.core.$ZodTypes | undefined)?._zod.def;
  return def?.type === 'enum' ? Object.values(def.entries).map(String) : undefined;
}

/** `14:03:59`: time of day, in the time zone of this process. */
function timeOf(at: number): string {
  return new Date(at).toTimeString().slice(0, 8);
}

function asJson(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return isObject(value) ? value : undefined;
}
