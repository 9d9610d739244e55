import { useState } from 'hono/jsx/dom';
import { text } from './api.js';

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

/** A button that does something, and shows why it could not. */
export function Action({ label, act }: { label: string; act: () => Promise<unknown> }) {
  const [problem, setProblem] = useState('');
  const onClick = () => {
    setProblem('');
    act().catch((error: unknown) => setProblem(String(error)));
  };
  return (
    <span class="actions">
      <button type="button" onClick={onClick}>
        {label}
      </button>
      <Problem text={problem} />
    </span>
  );
}

export function Problem({ text: problem }: { text: string }) {
  return (
    <span role="status" class="bad">
      {problem}
    </span>
  );
}
