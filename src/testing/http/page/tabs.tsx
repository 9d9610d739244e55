import type { Child } from 'hono/jsx';
import { REGIONS } from '../../../utils/regions.js';
import { isWebhookEventType } from '../../../webhooks/events/table.js';
import { FAULT_KINDS, faultTable } from '../../fake/faults/kinds.js';
import { collectionNames, kinds, ownerFields } from '../../fake/records/kinds.js';
import { EVENT_TYPES } from '../../fixtures/events.js';
import { createFixtures } from '../../fixtures/fixtures.js';
import { dotenv } from '../dotenv.js';
import { Details } from './details.js';
import { Copy, Form } from './forms.js';
import { hrefOf, Link, type Selection, type TabProps } from './selection.js';

/** The content of the selected tab. */
export function Content(props: TabProps) {
  const contents = {
    settings: SettingsTab,
    details: Details,
    events: EventsTab,
    faults: FaultsTab,
    records: RecordsTab,
  };
  return contents[props.selection.tab](props);
}

/** A new page shows the settings for a program, and a first call. A click selects the text of either. */
function SettingsTab({ fake, selection, origin }: TabProps) {
  const { region } = selection;
  const settings = dotenv(fake.state, region, origin);
  const token = /^AGENT_PLATFORM_TOKEN=(.*)$/m.exec(settings)?.[1];
  return (
    <article>
      <h2>Settings for your program</h2>
      <Choices selection={selection} />
      <pre class="whole">{settings}</pre>
      <Copy label="Copy the settings" text={settings} />
      <p class="note">Save them as .env, and run: node --env-file=.env app.mjs</p>
      <h2>Make a call</h2>
      <pre class="whole">{`curl -H 'authorization: Bearer ${token}' ${origin}/${region}/v3/tools/defaults`}</pre>
      <p class="note">It appears in the list. Select it to see both bodies.</p>
    </article>
  );
}

function EventsTab({ fake, selection }: TabProps) {
  const { region } = selection;
  const type = isWebhookEventType(selection.kind) ? selection.kind : 'lead_captured';
  const { payload } = createFixtures({ region }).event(type);
  // `live.js` leaves out "now": the fake then takes the current time, and never the same one twice.
  const event = { type, region, copies: 1, forged: false, payload: { ...payload, createdAt: 'now' } };
  const subscription = { url: 'http://127.0.0.1:3000/webhooks', region };
  const subscribers = fake.webhooks.subscriptions.map(({ id, region: from, address, events }) => (
    <Removable
      id={id}
      text={`${from} ${address} ${events?.join(', ') ?? 'all events'}`}
      from="subscriptions"
    />
  ));
  return (
    <div class="sides">
      <section>
        <h2>Send an event</h2>
        <Choices selection={{ ...selection, kind: type }} kinds={EVENT_TYPES} />
        <Form label="Send" action="POST /_fake/events" body={event} />
        <p class="note">Two events with the same createdAt are duplicates.</p>
      </section>
      <section>
        <h2>Subscribers</h2>
        <Items items={subscribers} />
        <Form label="Subscribe" action="POST /_fake/subscriptions" body={subscription} />
      </section>
    </div>
  );
}

function FaultsTab({ fake, selection }: TabProps) {
  const kind = FAULT_KINDS.find((name) => name === selection.kind) ?? 'status';
  const endpoint = fake.requests.find(({ id }) => id === selection.id)?.endpoint ?? 'getTool';
  const fault = { kind, ...faultTable[kind].example, endpoint, region: selection.region, times: 1 };
  const waiting = fake.faults
    .list()
    .map(({ id, ...each }) => <Removable id={id} text={JSON.stringify(each, undefined, 1)} from="faults" />);
  return (
    <div class="sides">
      <section>
        <h2>Inject a fault</h2>
        <Choices selection={{ ...selection, kind }} kinds={FAULT_KINDS} />
        <Form label="Inject" action="POST /_fake/faults" body={fault} />
        <p class="note">Without endpoint, a fault applies to every operation.</p>
      </section>
      <section>
        <h2>Faults that wait for calls</h2>
        <Items items={waiting} />
        <Form label="Remove all" action="DELETE /_fake/faults" />
      </section>
    </div>
  );
}

function RecordsTab({ fake, selection }: TabProps) {
  const { region, id } = selection;
  const collection = collectionNames.find((name) => name === selection.kind) ?? 'tools';
  const records = fake.state[region][collection];
  const record = records.get(id);
  const path = `/_fake/records/${region}/${collection}`;
  const address = `${path}/${encodeURIComponent(id)}`;
  const { example, owner } = kinds[collection];
  const owned = owner && { [ownerFields[owner]]: fake.state[region][owner].keys().next().value };
  const to = { ...selection, kind: collection, id: '' };
  const items = [...records.keys()].map((key) => (
    <li id={`record/${encodeURIComponent(key)}`}>
      <Link to={{ ...to, id: key }}>{key}</Link>
    </li>
  ));
  return (
    <div class="sides">
      <section>
        <h2>Records</h2>
        <Choices selection={to} kinds={collectionNames} />
        <Items items={items} />
        {record !== undefined && <Link to={to}>Add another</Link>}
      </section>
      <section>
        <h2>{record === undefined ? `Add to ${collection}` : id}</h2>
        {record === undefined && <Form label="Add" action={`POST ${path}`} body={{ ...example, ...owned }} />}
        {record !== undefined && <Form label="Save" action={`PATCH ${address}`} body={record} />}
        {record !== undefined && <Form label="Remove" action={`DELETE ${address}`} />}
      </section>
    </div>
  );
}

/** A list beside a form. `live.js` keeps it up to date while the form is being filled in. */
function Items({ items }: { items: readonly Child[] }) {
  return (
    <ul id="items" tabindex={-1}>
      {items.length === 0 ? <li class="note">None.</li> : items}
    </ul>
  );
}

/** An item of a list of the API. */
function Removable({ id, text, from }: { id: string; text: string; from: string }) {
  return (
    <li id={id}>
      <code>{text}</code>
      <Form label="Remove" name={`Remove ${text}`} action={`DELETE /_fake/${from}/${id}`} />
    </li>
  );
}

/** Offers a kind if there are some, and a region. `live.js` follows the choice. */
function Choices({ selection, kinds: names = [] }: { selection: Selection; kinds?: readonly string[] }) {
  const choice = (name: 'kind' | 'region', values: readonly string[]) => (
    <select data-choice aria-label={name}>
      {values.map((value) => (
        <option value={hrefOf({ ...selection, [name]: value })} selected={value === selection[name]}>
          {value}
        </option>
      ))}
    </select>
  );
  return (
    <p class="line">
      {names.length > 0 && choice('kind', names)}
      {choice('region', REGIONS)}
    </p>
  );
}
