import { useState } from 'hono/jsx/dom';
import { ask, type Json, type State, text } from './control-client.js';
import { EventForm, type PayloadFields } from './event-form.js';
import { Action, More, newest, pressed, Value } from './parts.js';
import { Status } from './requests.js';

/** The events of the specification, by type: the fixture of each region and the meaning of each field. */
export type Events = Readonly<Record<string, Readonly<Record<string, Json>>>>;

/** Subscriptions, deliveries, and a form for each type of event. */
export function Webhooks(props: {
  state: State;
  deliveries: readonly Json[];
  events: Events;
  fields: (type: string) => PayloadFields;
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
          <button
            type="button"
            key={name}
            aria-pressed={pressed(name === type)}
            onClick={() => setType(name)}
          >
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
      {newest(deliveries).map((each) => (
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
      <More of={deliveries.length} at="/_fake/deliveries" />
    </section>
  );
}
