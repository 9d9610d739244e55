import { endpoint, endpoints, ToolSchema, withData, withoutData } from 'agent-platform-sdk';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { expectTypeOf } from 'vitest';
import * as z from 'zod';

const fake = createFakePlatform();

const createTool = endpoint({
  method: 'POST',
  path: '/agents/{agentId}/tools',
  body: z.object({ name: z.string() }),
  response: withData(ToolSchema),
});
fake.handle(createTool, ({ path, body, succeed }) => {
  expectTypeOf(path).toEqualTypeOf<{ readonly agentId: string }>();
  expectTypeOf(body).toEqualTypeOf<{ name: string }>();
  // @ts-expect-error a parameter that is not in the path
  void path.toolId;
  // @ts-expect-error a tool has an id
  succeed({ name: body.name });
  // @ts-expect-error this endpoint responds with data
  succeed();
  return succeed({ id: 'tool_1', name: body.name });
});

const deleteTool = endpoint({ method: 'DELETE', path: '/tools/{toolId}', response: withoutData() });
fake.handle(deleteTool, ({ succeed, refuse, path }) => {
  // @ts-expect-error a reason that the fake does not know
  if (path.toolId === 'x') refuse('tooLate', 'no');
  // @ts-expect-error this endpoint responds without data
  succeed({ id: 'tool_1' });
  return succeed();
});

fake.handle(endpoints.getConversation, ({ path, state }) => {
  expectTypeOf(path).toEqualTypeOf<{ readonly agentId: string; readonly convoId: string }>();
  state.tools.set('tool_1', { id: 'tool_1' });
});

createFakePlatform({
  choices: {
    refusals: {
      notFound: { status: 410, code: 'gone' },
      // @ts-expect-error the specification shows this status: 400
      duplicateKey: { status: 409 },
    },
  },
});
