import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A path in a new folder, which goes when the test ends. */
export function newPath(name = 'file'): string {
  const folder = mkdtempSync(join(tmpdir(), 'sdk-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, name);
}

/** A file in a new folder, which goes when the test ends. */
export function newFile(content: string | Uint8Array, name?: string): string {
  const path = newPath(name);
  writeFileSync(path, content);
  return path;
}
