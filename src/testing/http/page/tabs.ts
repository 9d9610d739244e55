import type * as z from 'zod/mini';
import type { Region } from '../../../utils/regions.js';
import { isWebhookEventType, type WebhookEventType, webhookEvents } from '../../../webhooks/events.js';
import { FAULT_KINDS, type FaultKind } from '../../fake/faults/kinds.js';
import { collectionNames } from '../../fake/records/kinds.js';
import { EVENT_TYPES } from '../../fixtures/events.js';
import { createFixtures } from '../../fixtures/fixtures.js';
import type { ControlledFake } from '../controlled-fake.js';
import { dotenv } from '../dotenv.js';
import type { Field } from './forms.js';
import type { Row } from './list.js';
import type { Content } from './page.js';
import type { Selection, Tab } from './selection.js';

/** The newest entries that a list shows. `/_fake/requests` and `/_fake/deliveries` have all. */
const MAX_ROWS = 200;

/** The content of the selected tab. */
export function contentOf(fake: ControlledFake, selection: Selection, origin: string): Content {
  return contents[selection.tab](fake, selection, origin);
}

/** The content of each tab: its rows, the detail of the selected one, its forms. */
const contents: Readonly<Record<Tab, typeof contentOf>> = {
  requests(fake, selection) {
    const requests = fake.requests.filter(({ region }) => region === selection.region);
    const rows = requests.slice(-MAX_ROWS).map(
      ({ id, at, method, path, query, status }): Row => ({
        id,
        note: timeOf(at),
        mark: { text: String(status ?? '…'), isGood: status !== undefined && status < 400 },
        text: `${method} ${path}${query}`,
      }),
    );
    const detail = requests.find(({ id }) => id === selection.id);
    const forms = [{ label: 'Clear requests', action: 'DELETE /_fake/requests' }];
    return { selection, title: 'Requests', rows: rows.reverse(), detail, forms };
  },

  records(fake, selection) {
    const { region, id } = selection;
    const collection = collectionNames.find((name) => name === selection.kind) ?? 'tools';
    const records = fake.state[region][collection];
    const path = `/_fake/records/${region}/${collection}`;
    const body = (value: string): Field => ({ name: 'body', type: 'json', value });
    const json = JSON.stringify(records.get(id), undefined, 2);
    const edit = [
      { label: 'Save', action: `PATCH ${path}/${encodeURIComponent(id)}`, fields: [body(json)] },
      { label: 'Remove', action: `DELETE ${path}/${encodeURIComponent(id)}` },
    ];
    return {
      selection: { ...selection, kind: collection },
      kinds: collectionNames,
      title: collection,
      rows: [...records.keys()].map((key) => ({ id: key, text: key })),
      detailForms: records.has(id) ? edit : [],
      forms: [{ label: `Add to ${collection}`, action: `POST ${path}`, fields: [body('{}')] }],
    };
  },

  webhooks(fake, selection) {
    const { region } = selection;
    const type = isWebhookEventType(selection.kind) ? selection.kind : 'lead_captured';
    const { deliveries, subscriptions } = fake.webhooks;
    const rows = deliveries.slice(-MAX_ROWS).map(
      ({ id, at, type: sent, status, outcome, address, duration }): Row => ({
        id,
        note: timeOf(at),
        mark: { text: String(status ?? outcome), isGood: outcome === 'success' },
        text: `${sent} ${address} ${duration} ms`,
      }),
    );
    const selected = deliveries.find(({ id }) => id === selection.id);
    const resend = { label: 'Deliver again', action: `POST /_fake/deliveries/${selection.id}/resend` };
    const send = { label: `Send ${type}`, action: 'POST /_fake/events', fixed: { type, region } };
    const subscribe = { label: 'Subscribe', action: 'POST /_fake/subscriptions', fixed: { region } };
    const unsubscribe = subscriptions
      .filter((each) => each.region === region)
      .map(({ id, address, events }) => ({
        label: `Unsubscribe ${address} (${events?.join(', ') ?? 'all events'})`,
        action: `DELETE /_fake/subscriptions/${id}`,
      }));
    return {
      selection: { ...selection, kind: type },
      kinds: EVENT_TYPES,
      title: 'Deliveries',
      rows: rows.reverse(),
      detail: selected,
      detailForms: selected === undefined ? [] : [resend],
      forms: [
        { ...send, fields: [...payloadFields(type, region), number('copies', '1'), checkbox('forged')] },
        { ...subscribe, fields: [{ name: 'url', value: 'http://127.0.0.1:3000/webhooks' }] },
        ...unsubscribe,
      ],
    };
  },

  faults(fake, selection) {
    const kind = FAULT_KINDS.find((name) => name === selection.kind) ?? 'status';
    const faults = fake.faults.list();
    const selected = faults.find(({ id }) => id === selection.id);
    const remove = { label: 'Remove', action: `DELETE /_fake/faults/${selection.id}` };
    const inject = { label: `Inject ${kind}`, action: 'POST /_fake/faults' };
    const endpoint = { name: 'endpoint', values: ['', ...fake.endpointNames] };
    return {
      selection: { ...selection, kind },
      // A server cannot refuse a connection.
      kinds: FAULT_KINDS.filter((name) => name !== 'refused'),
      title: 'Faults',
      rows: faults.map(({ id, kind: name = 'status', endpoint: only = 'every call', remaining }) => ({
        id,
        text: `${name}, ${only}, ${remaining} left`,
      })),
      detail: selected,
      detailForms: selected === undefined ? [] : [remove],
      forms: [
        {
          ...inject,
          fixed: { kind, region: selection.region },
          fields: [...faultFields[kind], endpoint, number('times', '1'), checkbox('acts')],
        },
        { label: 'Clear faults', action: 'DELETE /_fake/faults' },
      ],
    };
  },

  settings(fake, selection, origin) {
    const detail = { '.env': dotenv(fake.state, selection.region, origin) };
    return { selection, title: 'Settings', rows: [], detail, forms: [] };
  },
};

const number = (name: string, value = ''): Field => ({ name, value, type: 'number' });
const checkbox = (name: string): Field => ({ name, type: 'checkbox' });

/** The fields of each kind of fault, beside those of its scope. */
const faultFields: Readonly<Record<FaultKind, readonly Field[]>> = {
  status: [number('status', '503'), number('retryAfter', '0'), { name: 'code' }, { name: 'message' }],
  html: [number('status', '502')],
  empty: [number('status', '200')],
  'wrong-shape': [number('status', '200')],
  truncated: [],
  stall: [number('after'), number('ms')],
  reset: [{ name: 'at', values: ['start', 'body'] }],
  refused: [],
  latency: [number('ms', '2000')],
};

/** The fields of an event's payload: those of its fixture but `createdAt`, with lists for closed values. */
function payloadFields(type: WebhookEventType, region: Region): readonly Field[] {
  const { payload } = createFixtures({ region }).event(type);
  // Each payload is an object, which the table's type does not say.
  const { shape } = webhookEvents[type].payload as unknown as z.ZodMiniObject;
  return Object.entries<unknown>({ ...payload, createdAt: undefined }).flatMap(([key, value]): Field[] => {
    const name = `payload.${key}`;
    if (value === undefined) return [];
    if (typeof value !== 'string') return [{ name, value: JSON.stringify(value), type: 'json' }];
    // Zod's own union of its schemas, discriminated by `type`.
    const def = (shape[key] as z.core.$ZodTypes | undefined)?._zod.def;
    if (def?.type !== 'enum') return [{ name, value }];
    return [{ name, value, values: Object.values(def.entries).map(String) }];
  });
}

/** `14:03:59`: time of day, in the time zone of this process. */
function timeOf(at: number): string {
  return new Date(at).toTimeString().slice(0, 8);
}
