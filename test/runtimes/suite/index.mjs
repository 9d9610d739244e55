import { clientChecks } from './client.mjs';
import { contextOf } from './context.mjs';
import { errorChecks } from './errors.mjs';
import { run } from './harness.mjs';
import { secretChecks } from './secrets.mjs';
import { timeChecks } from './time.mjs';
import { noServerChecks, webhookChecks, webhookServerChecks } from './webhooks.mjs';

const everywhere = { ...clientChecks, ...errorChecks, ...timeChecks, ...webhookChecks, ...secretChecks };

/** The suite for a runtime that can listen: the fake runs in it too. Prints the results as one line of JSON. */
export async function runBesideFake({ sdk, testing, ...about }) {
  const fake = testing.createFakePlatform();
  const server = await fake.listen({ control: true });
  const context = contextOf({ sdk, testing, fakeUrl: server.url, ...about });
  const results = await run({ ...everywhere, ...webhookServerChecks }, context);
  await server.close();
  console.log(JSON.stringify(results));
}

/** The suite for a runtime that cannot: the fake is elsewhere. */
export function runFarFromFake(about) {
  return run({ ...everywhere, ...noServerChecks }, contextOf(about));
}
