import { ConnectionError, endpoints } from 'agent-platform-sdk';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { fakeHandlers } from 'agent-platform-sdk/testing/msw';
import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { copyToCrm } from './copy-to-crm.js';

// The address that the program calls in production, too.
const baseUrls = { eu: 'https://api.eu.example.com' };
const fake = createFakePlatform({ baseUrls });
const { agentId, convoId, workspaceSecret } = fake.seed.eu;
const server = setupServer(...fakeHandlers(fake));

beforeAll(() => {
  vi.stubEnv('AGENT_PLATFORM_REGION', 'eu');
  vi.stubEnv('AGENT_PLATFORM_TOKEN', workspaceSecret);
  vi.stubEnv('AGENT_PLATFORM_BASE_URL_EU', baseUrls.eu);
  vi.stubEnv('AGENT_PLATFORM_LOG', 'off');
  server.listen({ onUnhandledRequest: 'error' });
});
afterEach(() => {
  server.resetHandlers();
  fake.reset();
});
afterAll(() => {
  server.close();
  vi.unstubAllEnvs();
});

/** The CRM takes every contact for the length of one test. Returns those that it is given. */
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

test('the person behind a conversation becomes a contact', async () => {
  const contacts = crm();
  fake.add.conversation({ convoId: 'dana', record: { userName: 'Dana', userEmail: 'dana@example.com' } });

  expect(await copyToCrm(agentId, 'dana')).toBe('contact_1');
  expect(contacts).toEqual([{ name: 'Dana', email: 'dana@example.com' }]);
});

test('a conversation that does not exist becomes none', async () => {
  const contacts = crm();

  expect(await copyToCrm(agentId, 'nowhere')).toBeUndefined();
  expect(contacts).toEqual([]);
});

test('a platform that is busy for a moment is not noticed', async () => {
  crm();
  fake.faults.inject({ endpoint: endpoints.getConversation, times: 2, status: 503, retryAfter: 0 });

  expect(await copyToCrm(agentId, convoId)).toBe('contact_1');
  expect(fake.requests.map(({ status }) => status)).toEqual([503, 503, 200]);
});

test('a platform that cannot be reached is an error, and the CRM is left alone', async () => {
  const contacts = crm();
  vi.spyOn(Math, 'random').mockReturnValue(0); // No waiting between the attempts.
  fake.faults.inject({ kind: 'reset', times: 'always' });

  await expect(copyToCrm(agentId, convoId)).rejects.toThrow(ConnectionError);
  vi.restoreAllMocks();
  expect(contacts).toEqual([]);
});

test('a CRM that is down is an error', async () => {
  server.use(http.post('https://crm.example.com/contacts', () => new HttpResponse(null, { status: 503 })));

  await expect(copyToCrm(agentId, convoId)).rejects.toThrow('the CRM answered 503');
});

test('someone who has left no address becomes no contact', async () => {
  const contacts = crm();
  // One operation answers as this test needs it; the others are the fake's.
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
