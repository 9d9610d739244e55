/** Placeholder */
import type { Effort } from './rounds.js';
export async function deliveries(_e: Effort): Promise<void> {}
