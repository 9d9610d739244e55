import { useState } from 'hono/jsx/dom';
import { text } from './control-client.js';

/** A value in a box, to be read and scrolled. */
export function Value({ name, value }: { name: string; value: unknown }) {
  if (value === undefined || value === '') return null;
  return (
    <div>
      <span class="note">{name}</span>
      <pre tabindex={0}>{text(value)}</pre>
    </div>
  );
}

/** The number of requests, and of deliveries, that are shown: a page can be open all day. */
const SHOWN = 200;

/** The newest of what came in this order, the last one first. */
export function newest<One>(all: readonly One[]): readonly One[] {
  return all.slice(-SHOWN).reverse();
}

/** Says where the rest is, if there is any. */
export function More({ of: count, at }: { of: number; at: string }) {
  if (count <= SHOWN) return null;
  return (
    <p class="note">
      The newest {SHOWN} of {count}; all of them: <a href={at}>{at}</a>
    </p>
  );
}

/** A button that does something, and shows what came of it, if that is a text, or why it could not. */
export function Action({ label, act }: { label: string; act: () => Promise<unknown> }) {
  const [outcome, setOutcome] = useState({ text: '', isBad: false });
  const onClick = async () => {
    setOutcome({ text: '', isBad: false });
    try {
      const told = await act();
      if (typeof told === 'string') setOutcome({ text: told, isBad: false });
    } catch (error) {
      setOutcome({ text: String(error), isBad: true });
    }
  };
  return (
    <span class="actions">
      <button type="button" onClick={() => void onClick()}>
        {label}
      </button>
      <Outcome {...outcome} />
    </span>
  );
}

export function Outcome({ text: outcome, isBad }: { text: string; isBad: boolean }) {
  return (
    <span role="status" class={isBad ? 'bad' : 'note'}>
      {outcome}
    </span>
  );
}

/** The attribute of a button that is one of several to choose from: `true` alone would be written as an empty text. */
export const pressed = (isChosen: boolean): 'true' | 'false' => (isChosen ? 'true' : 'false');
