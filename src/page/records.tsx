import { useState } from 'hono/jsx/dom';
import { ask, type Json, type State, text } from './control-client.js';
import { Action, pressed } from './parts.js';

/** The path segment of a record: its key in the collection. */
function keyOf(collection: string, record: Json): string {
  const { id, sid, name, agentId, convoId } = record as Readonly<Record<string, string | undefined>>;
  const parts = collection === 'conversations' ? [agentId, convoId] : [id ?? sid ?? name];
  return parts.map((part) => encodeURIComponent(part ?? '')).join('/');
}

/** The records of a region by collection: to see, add, change and remove. */
export function Records({ state, region }: { state: State; region: string }) {
  const [collection, setCollection] = useState('tools');
  const [draft, setDraft] = useState('{}');
  const held = state.records[region] ?? {};
  const names = Object.keys(held).filter((name) => name !== 'releasedForGood');
  const path = `/_fake/records/${region}/${collection}`;
  return (
    <section aria-label="Records">
      <h2>Records</h2>
      <div class="actions">
        {names.map((name) => (
          <button
            type="button"
            key={name}
            aria-pressed={pressed(name === collection)}
            onClick={() => setCollection(name)}
          >
            {name} ({held[name]?.length ?? 0})
          </button>
        ))}
      </div>
      {(held[collection] ?? []).map((record) => (
        <Entry
          key={keyOf(collection, record)}
          path={`${path}/${keyOf(collection, record)}`}
          record={record}
        />
      ))}
      <h2>Add to {collection}</h2>
      <label>
        The record, as JSON; what is left out is filled in
        <textarea
          name="new-record"
          value={draft}
          onInput={(event: Event) => setDraft((event.target as HTMLTextAreaElement).value)}
        />
      </label>
      <Action label="Add record" act={async () => ask('POST', path, JSON.parse(draft) as object)} />
    </section>
  );
}

function Entry({ path, record }: { path: string; record: Json }) {
  const [draft, setDraft] = useState<string | undefined>(undefined);
  const save = async () => {
    await ask('PATCH', path, JSON.parse(draft ?? '{}') as object);
    setDraft(undefined);
  };
  return (
    <details
      onKeyDown={(event: KeyboardEvent) => {
        // Closes the record and drops what was typed.
        if (event.key === 'Escape') setDraft(undefined);
      }}
    >
      <summary>{decodeURIComponent(path.split('/').slice(5).join('/'))}</summary>
      <label>
        The record, as JSON
        <textarea
          value={draft ?? text(record)}
          onInput={(event: Event) => setDraft((event.target as HTMLTextAreaElement).value)}
        />
      </label>
      <p class="actions">
        <Action label="Save" act={save} />
        <Action label="Remove" act={() => ask('DELETE', path)} />
      </p>
    </details>
  );
}
