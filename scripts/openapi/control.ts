/** The OpenAPI document of the control of a fake, made of its actions. The fake answers it at `/_fake/openapi.json`. */
import * as z from 'zod/mini';
import type { ControlAction } from '../../src/testing/control/action.js';
import { controlActions } from '../../src/testing/control/control.js';

type Json = Readonly<Record<string, unknown>>;

/** The text of src/testing/control/openapi.json. */
export function controlOpenApiText(): string {
  return `${JSON.stringify(createControlOpenApi(), null, 2)}\n`;
}

function createControlOpenApi(): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const action of controlActions) {
    const path = `/_fake${action.path}`;
    paths[path] = { ...paths[path], [action.method.toLowerCase()]: operation(action) };
  }
  paths['/_fake/changes'] = { get: changes };
  paths['/_fake/openapi.json'] = { get: thisDocument };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Control of the fake Conversational Agent Platform',
      version: '1',
      description:
        'Sees and steers a fake that runs. Each `operationId` is the word for it in process: `records.change` is `fake.records.change(…)`. Bodies are `application/json`; what is wrong with one is told in a 400. The API of the service itself is at `/openapi.json` of the command.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [],
    paths,
    components: { schemas: { Error: errorSchema, Done: doneSchema } },
  };
}

function operation({ name, path, summary, description, body, example, query, answer }: ControlAction): Json {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => pathParameter(parameter));
  const inQuery = query === undefined ? [] : queryParameters(query);
  return {
    operationId: name,
    summary,
    ...(description === undefined ? {} : { description }),
    ...(inPath.length + inQuery.length === 0 ? {} : { parameters: [...inPath, ...inQuery] }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: json(jsonSchema(body), example) } }),
    responses: {
      200: { description: answer?.[1] ?? 'What was done, or is there.', content: json(answerSchema(answer)) },
      400: { description: 'The field that is wrong, and what it may be.', content: json(reference('Error')) },
      ...(path.includes('{')
        ? { 404: { description: 'There is none.', content: json(reference('Error')) } }
        : {}),
    },
  };
}

function pathParameter(name: string): Json {
  const known: Readonly<Record<string, Json>> = {
    region: { enum: ['eu', 'na'] },
    collection: {
      examples: ['tools'],
      description: 'A key of `records.eu` of `/_fake/state`, but `releasedForGood`.',
    },
    id: { examples: ['tool_eu_1'] },
  };
  const { description, ...schema } = known[name] ?? {};
  const more = description === undefined ? {} : { description };
  return { name, in: 'path', required: true, ...more, schema: { type: 'string', ...schema } };
}

function queryParameters(schema: z.core.$ZodType): Json[] {
  const { properties = {} } = jsonSchema(schema) as { properties?: Readonly<Record<string, Json>> };
  return Object.entries(properties).map(([name, each]) => ({ name, in: 'query', schema: each }));
}

function answerSchema(answer: ControlAction['answer']): Json {
  if (answer === undefined) return reference('Done');
  const [field, description] = answer;
  const isList = field.endsWith('s');
  const schema = isList ? { type: 'array', items: { type: 'object' } } : { type: 'object' };
  return { type: 'object', required: [field], properties: { [field]: { ...schema, description } } };
}

function jsonSchema(schema: z.core.$ZodType): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema);
  return rest;
}

function json(schema: Json, example?: object): Json {
  return { 'application/json': { schema, ...(example === undefined ? {} : { example }) } };
}

function reference(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

const doneSchema: Json = {
  type: 'object',
  properties: { success: { const: true }, message: { type: 'string' } },
};

const errorSchema: Json = {
  type: 'object',
  required: ['message', 'code'],
  properties: {
    message: { type: 'string' },
    code: { enum: ['invalid_control', 'unknown_control'] },
    issues: {
      type: 'array',
      description: 'One for each field that is wrong.',
      items: { type: 'object', required: ['message'], properties: { message: { type: 'string' } } },
    },
  },
};

const changes: Json = {
  operationId: 'changes',
  summary: 'What happens from now on, as server-sent events',
  description:
    '`request`: a request that has come, and once more when it is answered. `delivery`: one that has ended. `changed`: a word for what else is not as it was: "records", "faults", "subscriptions", "requests", "deliveries".',
  responses: {
    200: {
      description: 'Events, until the connection is closed, or more than 16 MiB of them wait to be read.',
      content: { 'text/event-stream': { schema: { type: 'string' } } },
    },
    400: { description: 'Never.', content: json(reference('Error')) },
  },
};

const thisDocument: Json = {
  operationId: 'openapi',
  summary: 'This document',
  responses: {
    200: { description: 'OpenAPI 3.1.', content: json({ type: 'object' }) },
    400: { description: 'Never.', content: json(reference('Error')) },
  },
};
