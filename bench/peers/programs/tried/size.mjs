// The least that a bundle takes which uses ky: minified, gzipped.
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { report, task } from '../measure.mjs';

const { outputFiles } = await build({
  stdin: { contents: `import ky from '${task.ky}'; console.log(ky);`, resolveDir: import.meta.dirname },
  bundle: true,
  minify: true,
  format: 'esm',
  write: false,
});
report('tried-ky-size', task.subject, gzipSync(outputFiles[0].contents, { level: 9 }).length);
