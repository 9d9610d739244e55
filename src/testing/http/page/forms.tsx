/** A form whose JSON is sent as it is, to the API of the fake. */
export interface FormProps {
  readonly label: string;
  /** Methods and paths: `POST /_fake/events`. */
  readonly action: string;
  /** Fills its text. Without it, the form is a button. */
  readonly body?: object;
  /** Asked before anything is sent. */
  readonly confirm?: string;
}

/** A form, which `live.ts` sends. */
export function Form({ label, action, body, confirm }: FormProps) {
  const text = body && JSON.stringify(body, undefined, 2);
  return (
    <form data-action={action} data-confirm={confirm}>
      {text !== undefined && (
        <textarea aria-label={`JSON for ${label}`} rows={text.split('\n').length + 1}>
          {text}
        </textarea>
      )}
      <button type="submit">{label}</button> <output />
    </form>
  );
}
