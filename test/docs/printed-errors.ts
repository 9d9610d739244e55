import { inspect } from 'node:util';
import {
  AgentPlatform,
  type AgentPlatformOptions,
  createWebhookReceiver,
  parseWebhook,
  parseWebhookRequest,
} from 'agent-platform-sdk';
import { createFakePlatform, type FaultInput, fixtures } from 'agent-platform-sdk/testing';

const ADDRESS = 'https://api.eu.example.com';
const SECRET = 'the-workspace-secret';

const fake = createFakePlatform({ baseUrls: { eu: ADDRESS } });
const { workspaceSecret, workspaceId, secondWorkspaceId, agentId, toolId, rentedNumberSid } = fake.seed.eu;

function connect(options: AgentPlatformOptions = {}): AgentPlatform {
  return new AgentPlatform({
    region: 'eu',
    token: workspaceSecret,
    baseUrls: fake.baseUrls,
    fetch: fake.fetch,
    maxRetries: 0,
    logLevel: 'off',
    ...options,
  });
}

const platform = connect();
const getTool = () => platform.tools.get(toolId);
const deleteWorkspace = () => platform.workspaces.delete(secondWorkspaceId);

function struck<Result>(fault: FaultInput, call: () => Promise<Result>): Promise<Result> {
  fake.faults.inject(fault);
  return call();
}

const receive = (body: unknown) => parseWebhook(body, { secret: SECRET });
const lead = (overrides: object) => fixtures.delivery('lead_captured', SECRET, overrides);

/** Every error that the guide shows, by its name there, as a program meets it: the calls are real, the service is the fake. */
export const MISHAPS: Readonly<Record<string, () => unknown>> = {
  'ConfigurationError, an address is missing': () => new AgentPlatform({ region: 'eu', token: 'secret' }),
  'ConfigurationError, an option is misspelt': () =>
    createWebhookReceiver({ secret: SECRET, dedup: false } as never),
  RequestValidationError: () =>
    platform.variables.create(agentId, { required: 'yes', keys: 'plan' } as never),
  'RequestValidationError, an id': () => platform.tools.get(''),
  ConnectionError: () => struck({ kind: 'refused' }, getTool),
  'ConnectionError, outcome unknown': () => struck({ kind: 'reset' }, deleteWorkspace),
  TimeoutError: () => struck({ kind: 'stall' }, () => platform.tools.get(toolId, { timeout: 20 })),
  AbortError: () => platform.tools.get(toolId, { signal: AbortSignal.abort() }),
  HookError: () =>
    connect({ hooks: { onRequest: () => Promise.reject(new Error('no span')) } }).tools.get(toolId),
  BadRequestError: () => platform.variables.create(agentId, { key: fake.seed.eu.variableKey }),
  AuthenticationError: () => platform.tools.get(toolId, { token: 'of-nobody' }),
  PermissionDeniedError: () => platform.workspaces.delete(workspaceId),
  NotFoundError: () => platform.tools.get('tool_9'),
  ConflictError: () =>
    struck({ status: 409, code: 'conflict', message: 'The agent is being changed.' }, getTool),
  UnprocessableEntityError: () =>
    struck(
      {
        kind: 'wrong-shape',
        status: 422,
        body: {
          message: 'The variable cannot be created.',
          code: 'unprocessable',
          issues: [{ message: 'type is not supported' }, { message: 'key is reserved' }],
        },
      },
      () => platform.variables.create(agentId, { key: 'plan', type: 'date' }),
    ),
  RateLimitError: () =>
    struck({ status: 429, code: 'rate_limited', message: 'Slow down.', retryAfter: 120 }, getTool),
  ServerError: () => struck({ kind: 'html', status: 502 }, deleteWorkspace),
  ApiError: () =>
    struck({ status: 302, body: 'none', headers: { location: 'https://login.example.com' } }, getTool),
  OperationFailedError: () =>
    struck({ kind: 'wrong-shape', body: { isGood: false, errors: 'The number is in use.' } }, () =>
      platform.phoneNumbers.release({ phoneNumberSid: rentedNumberSid, isImportedNumber: false }),
    ),
  ResponseValidationError: () =>
    struck(
      {
        kind: 'wrong-shape',
        body: { success: true, message: 'OK', data: { name: 7, channels: 'web-chat' } },
      },
      getTool,
    ),
  WebhookError: () =>
    parseWebhookRequest(lead({}), { secret: () => Promise.reject(new Error('database is away')) }),
  WebhookVerificationError: () => receive(fixtures.delivery('lead_captured', 'of-nobody')),
  WebhookPayloadError: () => receive(lead({ channel: 7, agentId: undefined })),
  'WebhookPayloadError, not JSON': () => receive('type=lead_captured'),
  UnknownEventError: () =>
    receive({ type: 'lead_scored', payload: { createdAt: 1, workspaceSecret: SECRET } }),
};

/** What a call threw or rejected with. */
export async function errorOf(mishap: () => unknown): Promise<Error> {
  try {
    await mishap();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('nothing was thrown');
}

/** An error as `console.error` prints it; the lines of its stack, which are a program's own, are one here. */
export function inFull(error: Error): string {
  return inspect(error, { colors: false }).replace(/(\n {4}at .*)+ \{/, '\n    at … {');
}
