import { render, useEffect, useState } from 'hono/jsx/dom';
import { ask, type Json, load, onChange, type Shown } from './control-client.js';
import type { PayloadFields } from './event-form.js';
import { Faults } from './faults.js';
import { Action, Outcome, pressed } from './parts.js';
import { ProgramSettings } from './program-settings.js';
import { Records } from './records.js';
import { Requests } from './requests.js';
import { type Events, Webhooks } from './webhooks.js';

const TABS = ['Requests', 'Records', 'Webhooks', 'Faults', 'Settings'] as const;

/** The part of the service's description that the page reads: the schema of each event, which names that of its payload. */
interface Description {
  readonly components?: { readonly schemas?: Readonly<Record<string, PayloadFields>> };
  readonly webhooks?: Readonly<Record<string, Json>>;
}

type Tab = (typeof TABS)[number];

function Page() {
  const { shown, problem } = useShown();
  const [tab, setTab] = useState<Tab>('Requests');
  const [region, setRegion] = useState('eu');
  if (shown === undefined) return <Outcome text={problem} isBad />;
  return (
    <>
      <header>
        <h1>Fake platform</h1>
        <nav aria-label="Parts">
          {TABS.map((name) => (
            <button
              type="button"
              key={name}
              aria-current={name === tab ? 'page' : undefined}
              onClick={() => setTab(name)}
            >
              {name}
            </button>
          ))}
        </nav>
        <span class="actions">
          {['eu', 'na'].map((name) => (
            <button
              type="button"
              key={name}
              aria-pressed={pressed(name === region)}
              onClick={() => setRegion(name)}
            >
              {name}
            </button>
          ))}
        </span>
        <Action label="Reset" act={() => ask('POST', '/_fake/reset', {})} />
        <Outcome text={problem} isBad />
      </header>
      <main onKeyDown={closeByEscape}>
        <Part tab={tab} shown={shown} region={region} />
      </main>
    </>
  );
}

/** Escape closes what is open around the focus. */
function closeByEscape(event: KeyboardEvent): void {
  if (event.key !== 'Escape') return;
  const open = (event.target as HTMLElement).closest('details[open]');
  open?.removeAttribute('open');
  open?.querySelector('summary')?.focus();
}

function Part({ tab, shown, region }: { tab: Tab; shown: Shown; region: string }) {
  const { state, requests, deliveries } = shown;
  const { events, fields } = useEvents();
  if (tab === 'Requests') return <Requests requests={requests} region={region} />;
  if (tab === 'Records') return <Records state={state} region={region} />;
  if (tab === 'Faults') return <Faults faults={state.faults} region={region} />;
  if (tab === 'Settings') return <ProgramSettings state={state} region={region} />;
  return <Webhooks state={state} deliveries={deliveries} events={events} fields={fields} region={region} />;
}

/** The state of the fake, as it changes. */
function useShown() {
  const [shown, setShown] = useState<Shown | undefined>(undefined);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    const refresh = async (): Promise<void> => {
      try {
        setShown(await load());
        setProblem('');
      } catch {
        setProblem('The fake does not answer.');
      }
    };
    void refresh();
    onChange(() => void refresh());
  }, []);
  return { shown, problem };
}

/** The fixtures of the events, with the fields as the service's description has them. */
function useEvents() {
  const [events, setEvents] = useState<Events>({});
  const [description, setDescription] = useState<Description>({});
  useEffect(() => {
    const once = async (): Promise<void> => {
      // The shapes that the command serves.
      setEvents((await ask('GET', '/events.json')) as Events);
      setDescription(await ask('GET', '/openapi.json'));
    };
    void once();
  }, []);
  const schemas = description.components?.schemas ?? {};
  const fields = (type: string) => schemas[payloadName(description.webhooks?.[type])] ?? NO_FIELDS;
  return { events, fields };
}

const NO_FIELDS: PayloadFields = { properties: {}, required: [] };

/** The name of the schema that the description of an event refers to: several types have one payload. */
function payloadName(webhook: Json | undefined): string {
  return /"#\/components\/schemas\/(\w+)"/.exec(JSON.stringify(webhook ?? {}))?.[1] ?? '';
}

const root = document.getElementById('page');
if (root !== null) render(<Page />, root);
