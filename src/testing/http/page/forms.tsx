/** A form whose JSON is sent as it is, to the API of the fake. */
export interface FormProps {
  readonly label: string;
  /** Methods and paths: `POST /_fake/events`. */
  readonly action: string;
  /** Fills its text. Without it, the form is a button. */
  readonly body?: object;
  /** What the button does, if its label does not say it. */
  readonly name?: string | undefined;
  /** Asked before anything is sent. */
  readonly confirm?: string;
}

/** A form, which `live.js` sends. */
export function Form({ label, action, body, confirm, name }: FormProps) {
  const text = body && JSON.stringify(body, undefined, 2);
  return (
    <form data-action={action} data-confirm={confirm}>
      {text !== undefined && (
        <textarea aria-label={`JSON for ${label}`} rows={text.split('\n').length + 1}>
          {text}
        </textarea>
      )}
      <button type="submit" aria-label={name}>
        {label}
      </button>{' '}
      <output />
    </form>
  );
}

/** A button that copies a text. */
export function Copy({ label, text }: { label: string; text: string }) {
  return (
    <p>
      <button type="button" data-copy={text}>
        {label}
      </button>{' '}
      <output />
    </p>
  );
}
