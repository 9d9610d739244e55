/** One field of a form. */
export interface Field {
  readonly name: string;
  readonly value?: string;
  /** The values to choose from. */
  readonly values?: readonly string[];
  readonly type?: 'text' | 'number' | 'checkbox' | 'json';
}

/** A form that is posted as JSON by `live.ts`. */
export interface FormProps {
  readonly label: string;
  /** The method and the path: `POST /_fake/events`. */
  readonly action: string;
  /** Fields that are always sent. */
  readonly fixed?: object;
  readonly fields?: readonly Field[];
  /** Asked before anything is sent. */
  readonly confirm?: string;
}

/** A form, drawn. */
export function Form({ label, action, fixed, fields = [], confirm }: FormProps) {
  return (
    <form data-action={action} data-fixed={fixed && JSON.stringify(fixed)} data-confirm={confirm}>
      {fields.length > 0 && (
        <fieldset>
          <legend>{label}</legend>
          {fields.map((field) => (
            <FieldInput field={field} />
          ))}
        </fieldset>
      )}
      <button type="submit">{label}</button> <output />
    </form>
  );
}

function FieldInput({ field: { name, value = '', values, type = 'text' } }: { field: Field }) {
  const attributes = { name, 'data-type': type };
  if (values !== undefined) {
    return (
      <label>
        {name}
        <select {...attributes}>
          {values.map((each) => (
            <option value={each} selected={each === value}>
              {each}
            </option>
          ))}
        </select>
      </label>
    );
  }
  if (type === 'json') {
    return (
      <label class="wide">
        {name}
        <textarea {...attributes}>{value}</textarea>
      </label>
    );
  }
  return (
    <label>
      {name}
      <input {...attributes} type={type === 'checkbox' ? 'checkbox' : 'text'} value={value} />
    </label>
  );
}
