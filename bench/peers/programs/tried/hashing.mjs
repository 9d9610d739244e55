// SHA-256 of an event, as hexadecimal digits.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { microsPer, report, task } from '../measure.mjs';

const text = readFileSync(task.file, 'utf8');
const encoder = new TextEncoder();

const webCrypto = async () => {
  const digest = await crypto.subtle.digest('SHA-256', encoder.encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
};
const nodeCrypto = () => createHash('sha256').update(text).digest('hex');

report(task.metric, 'WebCrypto', await microsPer(webCrypto));
report(task.metric, 'node:crypto', await microsPer(nodeCrypto));
process.exit(0);
