import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Every file below a directory whose name ends in `suffix`, sorted, with `directory` in front. */
export function filesIn(directory: string, suffix: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(suffix))
    .map((file) => join(directory, file))
    .sort();
}
