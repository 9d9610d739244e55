// Next calls this when its server starts, and never while it builds.
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return;
  const { startWorker } = await import('./lib/worker.ts');
  startWorker();
}
