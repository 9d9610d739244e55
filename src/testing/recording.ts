import * as z from 'zod/mini';
import { formatIssues } from '../ground/issues.js';
import { parseJson } from '../ground/json.js';
import { checkInput } from './check-input.js';

/** One delivery as a recording keeps it: a line of JSON. */
export interface RecordedWebhook {
  /** The type of the event. */
  readonly type: string;
  /** The payload as it was posted, less `workspaceSecret`; marked fields are masked unless the recording was asked not to. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** Fields of the envelope beside `type` and `payload`. */
  readonly envelope?: Readonly<Record<string, unknown>> | undefined;
  /** The time at which it was received, in milliseconds since the Unix epoch. */
  readonly receivedAt?: number | undefined;
}

const dictionary = /* @__PURE__ */ z.record(z.string(), z.unknown());
const recordedSchema = () =>
  z.strictObject({
    type: z.string(),
    payload: dictionary,
    envelope: z.optional(dictionary),
    receivedAt: z.optional(z.number()),
  });

/**
 * Reads a recording: one delivery a line; blank lines are passed over.
 *
 * @param name - The file's name, for messages.
 * @throws {TypeError} When a line is no recorded delivery. It names the line.
 */
export function parseRecording(text: string, name: string): RecordedWebhook[] {
  const schema = recordedSchema();
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const value = parseJson(line);
    const checked = value === undefined ? undefined : checkInput(schema, value);
    if (checked?.ok === true) return [checked.value];
    const problem = checked === undefined ? ' is not JSON' : ` is wrong${formatIssues(checked.issues)}`;
    throw new TypeError(`line ${index + 1} of ${name}${problem}`);
  });
}

/**
 * Reads the file of a recording.
 *
 * @throws {TypeError} When a line of it is no recorded delivery, or the runtime has no files.
 */
export function readRecordingFile(file: string | URL): RecordedWebhook[] {
  // At run time: bundlers for browsers and workers refuse code that imports it.
  const fs = globalThis.process?.getBuiltinModule?.('node:fs');
  if (fs === undefined)
    throw new TypeError('A recording is read by node:fs, which this runtime does not have.');
  return parseRecording(fs.readFileSync(file, 'utf8'), String(file));
}
