import { long, seed } from './form.js';

/** Tells how to repeat this run. */
export default function announce(): void {
  const form = long ? 'long form' : 'short form; the long one: npm run test:reliability -- --long';
  console.log(`Reliability, ${form}. To repeat it: RELIABILITY_SEED=${seed}`);
}
