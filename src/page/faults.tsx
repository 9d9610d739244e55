import { useState } from 'hono/jsx/dom';
import { ask, type Json } from './control-client.js';
import { Action, Value } from './parts.js';

/** Faults to switch on, and those that are. */
const READY: Readonly<Record<string, Json>> = {
  'Answer 503': { status: 503 },
  'Answer 429': { status: 429, retryAfter: 1 },
  'HTML page': { kind: 'html' },
  'Cut JSON': { kind: 'truncated' },
  'Stalled body': { kind: 'stall' },
  'Connection reset': { kind: 'reset' },
  'Slow answers': { kind: 'latency', ms: 2000 },
};

export function Faults({ faults, region }: { faults: readonly Json[]; region: string }) {
  const [isAlways, setAlways] = useState(false);
  const times = isAlways ? 'always' : 1;
  return (
    <section aria-label="Faults">
      <h2>Faults on ({faults.length})</h2>
      {faults.map((fault) => (
        <div key={String(fault.id)}>
          <Value name={String(fault.id)} value={fault} />
          <Action
            label={`Switch ${String(fault.id)} off`}
            act={() => ask('DELETE', `/_fake/faults/${String(fault.id)}`)}
          />
        </div>
      ))}
      <h2>Switch one on, in {region}</h2>
      <label class="row">
        <input
          name="always"
          type="checkbox"
          checked={isAlways}
          onChange={(event: Event) => setAlways((event.target as HTMLInputElement).checked)}
        />
        for every call, not for the next alone
      </label>
      <p class="actions">
        {Object.entries(READY).map(([label, fault]) => (
          <Action
            key={label}
            label={label}
            act={() => ask('POST', '/_fake/faults', { ...fault, region, times })}
          />
        ))}
      </p>
    </section>
  );
}
