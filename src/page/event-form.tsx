import { useState } from 'hono/jsx/dom';
import { ask, type Json, text } from './control-client.js';
import { Action } from './parts.js';

/** A field of a payload, as the service's description has it. */
export interface Field {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
}

/** The payload of a type of event: its fields by name, and the names of those that it must have. */
export interface PayloadFields {
  readonly properties: Readonly<Record<string, Field>>;
  readonly required: readonly string[];
}

/** Set by the fake in each event. */
const OWN = new Set(['workspaceSecret', 'createdAt']);

/** A form of the payload, the fixture filled in: what is changed is sent in its place. */
export function EventForm(props: { type: string; fixture: Json; fields: PayloadFields; region: string }) {
  const { type, fixture, fields, region } = props;
  const { properties, required } = fields;
  const [changed, setChanged] = useState<Readonly<Record<string, string>>>({});
  const [copies, setCopies] = useState('1');
  const [forged, setForged] = useState(false);
  const names = [...new Set([...Object.keys(properties), ...Object.keys(fixture)])];
  const send = async () => {
    const overrides = Object.entries(changed).map(([name, typed]) => [
      name,
      parsedAs(properties[name]?.type ?? typeof fixture[name], typed, name),
    ]);
    const { deliveries } = await ask('POST', '/_fake/events', {
      type,
      overrides: Object.fromEntries(overrides) as object,
      copies: Number(copies),
      forged,
      region,
    });
    const count = (deliveries as readonly unknown[]).length;
    return count === 0 ? `Nobody gets it: no one in ${region} is subscribed to it.` : `${count} sent.`;
  };
  return (
    <form onSubmit={(event: Event) => event.preventDefault()}>
      <fieldset>
        <legend>{type}</legend>
        {names
          .filter((name) => !OWN.has(name))
          .map((name) => (
            <PayloadField
              key={name}
              name={name}
              field={properties[name] ?? {}}
              isRequired={required.includes(name)}
              value={changed[name] ?? text(fixture[name])}
              change={(value) => setChanged({ ...changed, [name]: value })}
            />
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

function PayloadField(props: {
  name: string;
  field: Field;
  isRequired: boolean;
  value: string;
  change: (value: string) => void;
}) {
  const { name, field, isRequired, value, change } = props;
  const onInput = (event: Event) => change((event.target as HTMLInputElement).value);
  const isJson = field.type === 'object' || field.type === 'array';
  const control = { id: `field-${name}`, name, value, onInput, 'aria-describedby': `meaning-of-${name}` };
  return (
    <div class={isJson ? 'field wide' : 'field'}>
      <label for={control.id}>
        {name} {isRequired && <span class="note">required</span>}
      </label>
      {isJson ? (
        <textarea {...control} />
      ) : (
        // Other values than those of the list can be typed: a receiver may meet them.
        <input {...control} list={field.enum && `values-of-${name}`} />
      )}
      {field.enum && (
        <datalist id={`values-of-${name}`}>
          {field.enum.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
      <span class="note" id={`meaning-of-${name}`}>
        {field.description ?? ''}
      </span>
    </div>
  );
}

/** Reads typed text as a value of the type that the field has. */
function parsedAs(type: string, typed: string, name: string): unknown {
  if (type === 'string' || type === 'undefined') return typed;
  try {
    return JSON.parse(typed) as unknown;
  } catch {
    throw new Error(`${name} takes JSON, of the type ${type}.`);
  }
}
