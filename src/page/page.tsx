import { render, useEffect, useState } from 'hono/jsx/dom';
import { ask, type Json, load, onChange, type Shown } from './api.js';
import { Faults } from './faults.js';
import { Action, Problem } from './parts.js';
import { Records } from './records.js';
import { Requests } from './requests.js';
import { Settings } from './settings.js';
import { type Events, Webhooks } from './webhooks.js';

const TABS = ['Requests', 'Records', 'Webhooks', 'Faults', 'Settings'] as const;

interface Description {
  readonly components?: {
    readonly schemas?: Readonly<Record<string, { readonly properties?: Readonly<Record<string, Json>> }>>;
  };
}

type Tab = (typeof TABS)[number];

function Page() {
  const { shown, problem } = useShown();
  const [tab, setTab] = useState<Tab>('Requests');
  const [region, setRegion] = useState('eu');
  if (shown === undefined) return <Problem text={problem} />;
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
            <button type="button" key={name} aria-pressed={name === region} onClick={() => setRegion(name)}>
              {name}
            </button>
          ))}
        </span>
        <Action label="Reset" act={() => ask('POST', '/_fake/reset', {})} />
        <Problem text={problem} />
      </header>
      <main>
        <Part tab={tab} shown={shown} region={region} />
      </main>
    </>
  );
}

function Part({ tab, shown, region }: { tab: Tab; shown: Shown; region: string }) {
  const { state, requests, deliveries } = shown;
  const { events, fields } = useEvents();
  if (tab === 'Requests') return <Requests requests={requests} region={region} />;
  if (tab === 'Records') return <Records state={state} region={region} />;
  if (tab === 'Faults') return <Faults faults={state.faults} region={region} />;
  if (tab === 'Settings') return <Settings state={state} region={region} />;
  return <Webhooks state={state} deliveries={deliveries} events={events} fields={fields} region={region} />;
}

/** What the fake holds, as it changes. */
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

/** The fixtures of the events, and what the service's description says of their fields. */
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
  const fields = (type: string) => schemas[`${pascalCase(type)}Payload`]?.properties ?? {};
  return { events, fields };
}

/** `lead_captured` is described as `LeadCapturedPayload`. */
function pascalCase(type: string): string {
  return type.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

const root = document.getElementById('page');
if (root !== null) render(<Page />, root);
