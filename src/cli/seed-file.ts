import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { formatIssues } from '../ground/issues.js';
import { parseJson } from '../ground/json.js';
import type { StartRecords } from '../testing/records.js';
import { StartRecordsSchema } from '../testing/records-schema.js';
import { describeIssue, fromZodIssues } from '../testing/zod-issues.js';
import { UsageError } from './options.js';

/** @throws {UsageError} When the file cannot be read, or is not what a fake can begin with. */
export function readSeedFile(path: string): StartRecords {
  const value = parseJson(read(path));
  if (value === undefined) throw new UsageError(`--seed: ${path} is not JSON.`);
  const result = z.safeParse(StartRecordsSchema, value, { error: describeIssue });
  if (result.success) return result.data;
  throw new UsageError(`--seed: ${path} is wrong${formatIssues(fromZodIssues(result.error.issues))}`);
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    // What `readFileSync` throws is an Error that names the file.
    throw new UsageError(`--seed: ${(error as Error).message}`, { cause: error });
  }
}
