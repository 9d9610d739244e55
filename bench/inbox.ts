/** Placeholder */
import type { Effort } from './rounds.js';
export async function inbox(_e: Effort): Promise<void> {}
