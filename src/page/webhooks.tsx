import { useState } from 'hono/jsx/dom';
import { ask, type Json, type State, text } from './api.js';
import { Action, Value } from './parts.js';
import { Status } from './requests.js';

/** The events of the specification, by type: the fixture of each region and the meaning of each field. */
export type Events = Readonly<Record<string, Readonly<Record<string, Json>>>>;

/** Who gets events, what was delivered, and a form for each type of event. */
export function Webhooks(props: {
  state: State;
  deliveries: readonly Json[];
  events: Events;
  fields: (type: string) => Readonly<Record<string, Json>>;
  region: string;
}) {
  const { state, deliveries, events, fields, region } = props;
  const [type, setType] = useState('lead_captured');
  const [url, setUrl] = useState('http://127.0.0.1:3000/webhooks');
  const subscriptions = state.subscriptions.filter((each) => each.region === region);
  return (
    <section aria-label="Webhooks">
      <h2>Subscribers</h2>
      {subscriptions.map((each) => (
        <p class="actions" key={String(each.id)}>
          {String(each.address)} <span class="note">{text(each.events ?? 'every event')}</span>
          <Action label="Unsubscribe" act={() => ask('DELETE', `/_fake/subscriptions/${String(each.id)}`)} />
        </p>
      ))}
      <label>
        Address
        <input
          name="subscriber"
          type="url"
          value={url}
          onInput={(event: Event) => setUrl((event.target as HTMLInputElement).value)}
        />
      </label>
      <Action label="Subscribe" act={() => ask('POST', '/_fake/subscriptions', { url, region })} />
      <h2>Send an event</h2>
      <div class="actions">
        {Object.keys(events).map((name) => (
          <button type="button" key={name} aria-pressed={name === type} onClick={() => setType(name)}>
            {name}
          </button>
        ))}
      </div>
      <EventForm
        key={`${region} ${type}`}
        type={type}
        fixture={events[type]?.[region] ?? {}}
        fields={fields(type)}
        region={region}
      />
      <h2>Deliveries ({deliveries.length})</h2>
      <Action label="Forget deliveries" act={() => ask('DELETE', '/_fake/deliveries')} />
      {[...deliveries].reverse().map((each) => (
        <details key={String(each.id)}>
          <summary>
            <Status status={each.status ?? each.outcome} /> {String(each.type)}{' '}
            <span class="note">
              {String(each.address)}, {String(each.duration)} ms
            </span>
          </summary>
          <Value name="payload" value={each.payload} />
          <Value name="answer of the receiver" value={each.answer} />
          <Value name="why no answer came" value={each.error} />
          <Action
            label="Deliver again"
            act={() => ask('POST', `/_fake/deliveries/${String(each.id)}/resend`, {})}
          />
        </details>
      ))}
    </section>
  );
}

/** A form of the payload, the fixture filled in: what is changed is sent in its place. */
function EventForm(props: {
  type: string;
  fixture: Json;
  fields: Readonly<Record<string, Json>>;
  region: string;
}) {
  const { type, fixture, fields, region } = props;
  const [changed, setChanged] = useState<Readonly<Record<string, string>>>({});
  const [copies, setCopies] = useState('1');
  const [forged, setForged] = useState(false);
  const names = [...new Set([...Object.keys(fields), ...Object.keys(fixture)])].filter(
    (name) => name !== 'workspaceSecret' && name !== 'createdAt',
  );
  const send = async () => {
    const overrides = Object.entries(changed).map(([name, value]) => [
      name,
      parsedLike(value, fixture[name]),
    ]);
    const body = {
      type,
      overrides: Object.fromEntries(overrides) as object,
      copies: Number(copies),
      forged,
      region,
    };
    await ask('POST', '/_fake/events', body);
  };
  return (
    <form onSubmit={(event: Event) => event.preventDefault()}>
      <fieldset>
        <legend>{type}</legend>
        {names.map((name) => (
          <label key={name} title={text(fields[name]?.description)}>
            {name}
            <input
              name={name}
              value={changed[name] ?? text(fixture[name])}
              onInput={(event: Event) =>
                setChanged({ ...changed, [name]: (event.target as HTMLInputElement).value })
              }
            />
          </label>
        ))}
        <label>
          copies
          <input
            name="event-copies"
            type="number"
            min="1"
            max="1000"
            value={copies}
            onInput={(event: Event) => setCopies((event.target as HTMLInputElement).value)}
          />
        </label>
        <label class="row">
          <input
            name="event-forged"
            type="checkbox"
            checked={forged}
            onChange={(event: Event) => setForged((event.target as HTMLInputElement).checked)}
          />
          forged: with a wrong secret
        </label>
      </fieldset>
      <Action label={`Send ${type}`} act={send} />
    </form>
  );
}

/** What was typed, of the type that the fixture has there. */
function parsedLike(typed: string, fixture: unknown): unknown {
  if (typeof fixture === 'string' || fixture === undefined) return typed;
  return JSON.parse(typed) as unknown;
}
