import { ConnectionError, endpoints, NotFoundError } from 'agent-platform-sdk';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { fakeHandlers } from 'agent-platform-sdk/testing/msw';
import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { copyToCrm } from './copy-to-crm.js';

// The same address as in production.
const baseUrls = { eu: 'https://api.eu.example.com' };
const fake = createFakePlatform({ baseUrls });
const { agentId, convoId, workspaceSecret } = fake.seed.eu;
const server = setupServer(...fakeHandlers(fake));
// What no handler answers is an error. msw 2 reads the first name, msw 3 the second.
const unhandled = { onUnhandledRequest: 'error', onUnhandledFrame: 'error' } as const;

beforeAll(() => {
  vi.stubEnv('AGENT_PLATFORM_REGION', 'eu');
  vi.stubEnv('AGENT_PLATFORM_TOKEN', workspaceSecret);
  vi.stubEnv('AGENT_PLATFORM_BASE_URL_EU', baseUrls.eu);
  vi.stubEnv('AGENT_PLATFORM_LOG', 'off');
  server.listen(unhandled);
});
afterEach(() => {
  server.resetHandlers();
  fake.reset();
});
afterAll(() => {
  server.close();
  vi.unstubAllEnvs();
});

/** Makes the CRM accept contacts for one test; returns those that it receives. */
function crm(): unknown[] {
  const contacts: unknown[] = [];
  server.use(
    http.post('https://crm.example.com/contacts', async ({ request }) => {
      contacts.push(await request.json());
      return HttpResponse.json({ id: `contact_${contacts.length}` }, { status: 201 });
    }),
  );
  return contacts;
}

test('creates a contact for the person in a conversation', async () => {
  const contacts = crm();
  fake.add.conversation({ convoId: 'dana', record: { userName: 'Dana', userEmail: 'dana@example.com' } });

  expect(await copyToCrm(agentId, 'dana')).toBe('contact_1');
  expect(contacts).toEqual([{ name: 'Dana', email: 'dana@example.com' }]);
});

test('creates no contact for an unknown conversation', async () => {
  const contacts = crm();

  expect(await copyToCrm(agentId, 'nowhere')).toBeUndefined();
  expect(contacts).toEqual([]);
});

test('throws if the 404 comes from a proxy', async () => {
  const contacts = crm();
  fake.faults.inject({ endpoint: endpoints.getConversation, status: 404, body: '<h1>404</h1>' });

  await expect(copyToCrm(agentId, convoId)).rejects.toThrow(NotFoundError);
  expect(contacts).toEqual([]);
});

test('retries a conversation after 503', async () => {
  crm();
  fake.faults.inject({ endpoint: endpoints.getConversation, times: 2, status: 503, retryAfter: 0 });

  expect(await copyToCrm(agentId, convoId)).toBe('contact_1');
  expect(fake.requests.map(({ status }) => status)).toEqual([503, 503, 200]);
});

test('leaves the CRM alone if the platform cannot be reached', async () => {
  const contacts = crm();
  vi.spyOn(Math, 'random').mockReturnValue(0); // No delay between the attempts.
  fake.faults.inject({ kind: 'reset', times: 'always' });

  await expect(copyToCrm(agentId, convoId)).rejects.toThrow(ConnectionError);
  vi.restoreAllMocks();
  expect(contacts).toEqual([]);
});

test('throws if the CRM is down', async () => {
  server.use(http.post('https://crm.example.com/contacts', () => new HttpResponse(null, { status: 503 })));

  await expect(copyToCrm(agentId, convoId)).rejects.toThrow('the CRM responded with 503');
});

test('creates no contact for a person without an email address', async () => {
  const contacts = crm();
  // Only this operation has a response of the test; the fake responds to the others.
  server.use(
    http.get(`${baseUrls.eu}/v3/agents/:agentId/convos/:convoId`, ({ params }) =>
      HttpResponse.json({
        success: true,
        message: 'OK',
        data: { ID: `${params.agentId}_${params.convoId}` },
      }),
    ),
  );

  expect(await copyToCrm(agentId, convoId)).toBeUndefined();
  expect(contacts).toEqual([]);
});
