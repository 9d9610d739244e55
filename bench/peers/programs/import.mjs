import { report, task } from './measure.mjs';

const begun = performance.now();
await import(task.module);
report('import-esm', task.subject, performance.now() - begun);
process.exit(0);
