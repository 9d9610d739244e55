import { blocking } from './blocking.js';
import { cpu } from './cpu.js';
import { dedupe } from './dedupe.js';
import { drift } from './drift.js';
import { memory } from './memory.js';
import { observed } from './observed.js';
import { receiver } from './receiver.js';
import type { Row, Setting } from './row.js';
import { scale } from './scale.js';
import { secrets } from './secrets.js';
import { start } from './start.js';
import { tried } from './tried.js';
import { validation } from './validation.js';
import { webhooks } from './webhooks.js';

/** All rows, by their names for `--only`. */
export const rows = {
  start,
  cpu,
  memory,
  validation,
  scale,
  drift,
  blocking,
  webhooks,
  receiver,
  dedupe,
  secrets,
  observed,
} satisfies Readonly<Record<string, (setting: Setting) => Row>>;

/** With the ways that were tried. */
export const everyRow = { ...rows, ...tried };

export type RowName = keyof typeof everyRow;
