import { atMostEach, type Measurement, type Metric, type Row, SDK } from './row.js';

const AHEAD_OF = ['openai', 'stripe', 'retell-sdk', 'svix'];
const OTHERS = [...AHEAD_OF, '@vapi-ai/server-sdk'];

/** Loading the package, and nothing else. */
export function importing(): Row {
  return {
    id: 'import',
    rounds: 15,
    metrics: [metric('import-esm', 'import alone, ESM'), metric('import-cjs', 'import alone, CommonJS')],
    measurements: [SDK, ...OTHERS].flatMap((module) => [
      measurement('import.mjs', module),
      measurement('require.cjs', module),
    ]),
  };
}

function metric(id: string, title: string): Metric {
  return { id, title, unit: 'ms', baseline: SDK, goals: atMostEach(1, ...AHEAD_OF) };
}

function measurement(program: string, module: string): Measurement {
  return { program, task: { module, subject: module }, needs: module };
}
