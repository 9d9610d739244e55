/** The task that the harness gives this program. `effort` is the time in milliseconds to spend on each figure. */
export const task = JSON.parse(process.argv[2]);

/** Tells the harness one figure. */
export function report(metric, subject, value) {
  console.log(JSON.stringify({ metric, subject, value }));
}

/**
 * CPU time of this process in microseconds, all threads included. Unlike the clock it does not run while another
 * process has the processor.
 */
export function cpuMicros() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Microseconds of CPU that one call of `work` takes, once it is warm. */
export async function microsPer(work, effort = task.effort) {
  // Most of the warm-up is the compiler of the engine, in threads of its own, whose time would be charged to the work.
  const batch = await repeatFor(work, effort * 3, 1);
  const size = Math.max(1, Math.round(batch.calls / 20));
  const { micros, calls } = await repeatFor(work, effort, size);
  return micros / calls;
}

async function repeatFor(work, effort, size) {
  const begun = cpuMicros();
  let calls = 0;
  let micros = 0;
  do {
    await repeat(work, size);
    calls += size;
    micros = cpuMicros() - begun;
  } while (micros < effort * 1000);
  return { micros, calls };
}

async function repeat(work, times) {
  for (let done = 0; done < times; done += 1) {
    const result = work();
    // Awaiting what is no promise would cost those whose work is synchronous.
    if (result instanceof Promise) await result;
  }
}

/** Calls `work` a number of times, so many at once. */
export async function inFlight(work, calls, width) {
  let left = calls;
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      await work();
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
}
