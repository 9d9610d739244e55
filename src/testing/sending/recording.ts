import { ConfigurationError } from '../../errors/index.js';
import { isObject, parseJson } from '../../utils/json.js';

/** One delivery in a recording: a line of JSON. */
export interface RecordedWebhook {
  /** The type of the event. */
  readonly type: string;
  /** The payload without `workspaceSecret`; marked fields are masked. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** Time of arrival, in milliseconds since the Unix epoch. */
  readonly receivedAt?: number | undefined;
}

/**
 * Reads a recording of `agent-platform-sdk listen --record`: one delivery a line; blank lines are skipped.
 *
 * @param onBroken - Called for a line that is not a recorded delivery, which is then skipped. Default: throws.
 * @throws {ConfigurationError} If a line is not a recorded delivery, or the runtime has no files.
 */
export function readRecordingFile(
  file: string | URL,
  onBroken: (message: string) => void = (message) => {
    throw new ConfigurationError(message, { option: 'recording' });
  },
): RecordedWebhook[] {
  // At run time: bundlers for browsers and workers refuse a static import.
  const fs = globalThis.process?.getBuiltinModule?.('node:fs');
  if (fs === undefined) {
    const problem = 'Reading a recording needs node:fs, which this runtime lacks.';
    throw new ConfigurationError(problem, { option: 'recording' });
  }
  const lines = decodeText(fs.readFileSync(file)).split('\n');
  return lines.flatMap((line, index) => {
    if (line.trim() === '') return [];
    const value = parseJson(line);
    if (isObject(value) && typeof value.type === 'string' && isObject(value.payload)) {
      // `receivedAt` is for readers, and not used here.
      return [value as unknown as RecordedWebhook];
    }
    const place = `Line ${index + 1} of ${String(file)}`;
    onBroken(`${place} is not a recorded webhook: expected { "type", "payload" }.`);
    return [];
  });
}

/** Decodes the text of a file, with or without a byte order mark: editors and shells of Windows write them. */
export function decodeText(bytes: Uint8Array): string {
  const isWide = bytes[0] === 0xff && bytes[1] === 0xfe;
  return new TextDecoder(isWide ? 'utf-16le' : 'utf-8').decode(bytes);
}
