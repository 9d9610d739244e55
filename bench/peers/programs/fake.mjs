// Reads a tool of the fake, through each of its doors, with the client and the server in one process.
import { createServer } from 'node:http';
import { inFlight, report, task } from './measure.mjs';

const envelope = { success: true, message: 'ok', data: { id: 'tool_eu_1' } };

async function seededFake() {
  const { createFakePlatform } = await import('agent-platform-sdk/testing');
  return createFakePlatform();
}

const doors = {
  async fetch() {
    const fake = await seededFake();
    return reading(`${fake.baseUrls.eu}/v3`, fake.fetch);
  },
  async http() {
    const fake = await seededFake();
    const { baseUrls } = await fake.listen();
    return reading(`${baseUrls.eu}/v3`, fetch);
  },
  async msw() {
    const [{ fakeHandlers }, { setupServer }] = await Promise.all([
      import('agent-platform-sdk/testing/msw'),
      import('msw/node'),
    ]);
    const fake = await seededFake();
    setupServer(...fakeHandlers(fake)).listen();
    return reading(`${fake.baseUrls.eu}/v3`, fetch);
  },
  async 'bare-msw'() {
    const [{ http, HttpResponse }, { setupServer }] = await Promise.all([import('msw'), import('msw/node')]);
    const baseUrl = 'https://eu.example.com/v3';
    setupServer(http.get(`${baseUrl}/tools/:toolId`, () => HttpResponse.json(envelope))).listen();
    return reading(baseUrl, fetch);
  },
  async 'bare-http'() {
    const text = JSON.stringify(envelope);
    const headers = { 'content-type': 'application/json' };
    const server = createServer((_request, response) => response.writeHead(200, headers).end(text));
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    return reading(`http://127.0.0.1:${server.address().port}/v3`, fetch);
  },
};

function reading(baseUrl, fetch) {
  const init = { headers: { authorization: 'Bearer fake-workspace-secret-of-workspace_eu_1' } };
  return async () => {
    const response = await fetch(`${baseUrl}/tools/tool_eu_1`, init);
    const { data } = await response.json();
    if (data?.id !== 'tool_eu_1') throw new Error(`answered ${response.status}`);
  };
}

const call = await doors[task.door]();
await inFlight(call, task.calls / 4, 8);
const begun = performance.now();
await inFlight(call, task.calls, 8);
report('fake', task.subject, (task.calls / (performance.now() - begun)) * 1000);
process.exit(0);
