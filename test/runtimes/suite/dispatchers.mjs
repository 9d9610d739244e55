// Deletes a workspace through a proxy, and with a client certificate, by a dispatcher of undici:
// `dispatchers.mjs <module of undici> <settings as JSON>`. Prints the outcomes.
import { AgentPlatform } from 'agent-platform-sdk';

const [, , module, settings] = process.argv;
const { Agent, ProxyAgent } = await import(module);
const { url, proxy, closed, ca, cert, key } = JSON.parse(settings);

async function outcome(dispatcher) {
  const platform = new AgentPlatform({
    region: 'eu',
    token: 'a-token-of-the-tests',
    baseUrls: { eu: url },
    maxRetries: 1,
    logLevel: 'off',
    fetchOptions: { dispatcher },
  });
  try {
    await platform.workspaces.delete('workspace_1');
    return 'deleted';
  } catch (error) {
    return `${error.cause?.cause?.code ?? error.cause?.code} ${error.outcomeUnknown}`;
  }
}

const connect = { ca, cert, key };
console.log(
  JSON.stringify([
    await outcome(new ProxyAgent({ uri: proxy, requestTls: connect })),
    await outcome(new Agent({ connect })),
    await outcome(new ProxyAgent(closed)),
  ]),
);
process.exit();
