import {
  type Drift,
  parseWebhook,
  RequestValidationError,
  ResponseValidationError,
  WebhookPayloadError,
  webhookEvents,
} from 'agent-platform-sdk';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type * as z from 'zod/mini';
import { validateOwn } from '../../../src/validation/validate.js';
import { recordNames } from '../../schemas/document-table.js';
import { schemaOf } from '../../schemas/records.js';
import { rejectionOf } from '../../support/client.js';
import { fcParameters } from '../support/form.js';
import { arbitraryOf } from './arbitraries.js';
import { answering, operations, succeeding } from './doors.js';
import { forbiddenChanges, type Mutation, permittedChanges } from './mutations.js';
import { isSame } from './same.js';

const secret = 'secret-of-the-reliability-tests';
const eventTypes = Object.keys(webhookEvents) as (keyof typeof webhookEvents)[];

interface Found {
  readonly path: readonly (string | number)[];
  readonly code: string;
}

const placesOf = (issues: readonly Found[]) => issues.map(({ path, code }) => ({ path, code }));

/** Expects every mode to treat a forbidden change as it must. */
function expectForbidden(schema: z.core.$ZodType, { what, value, path, code, grows }: Mutation): void {
  const expected = [{ path, code }];
  const strict = validateOwn(schema, value, 'strict');
  const tolerant = validateOwn(schema, value, 'tolerant');
  const report = validateOwn(schema, value, 'report');
  expect(strict.ok ? [] : placesOf(strict.issues), what).toEqual(expected);
  expect(tolerant.ok, `${what} at ${path.join('.')}, tolerant`).toBe(grows);
  expect(placesOf(tolerant.ok ? tolerant.drift : tolerant.issues), what).toEqual(expected);
  expect(report.ok && placesOf(report.drift), what).toEqual(expected);
  expect(!tolerant.ok || tolerant.value === value).toBe(true);
  expect(report.ok && report.value).toBe(value);
}

test.each(recordNames)('every single forbidden change of a %s is rejected at its path', (record) => {
  const schema = schemaOf(record);
  const rejected = fc.property(arbitraryOf(schema), (value) => {
    for (const change of forbiddenChanges(schema, value)) expectForbidden(schema, change);
  });
  fc.assert(rejected, fcParameters(3));
});

/** Closed to their last field: a new one is drift. */
const closed = ['NotificationsSettings', 'Team'];
const open = recordNames.filter((record) => !closed.includes(record));

test.each(open)('a new field anywhere in the open objects of a %s is kept, and no issue', (record) => {
  const schema = schemaOf(record);
  const kept = fc.property(arbitraryOf(schema), (value) => {
    // A record that is closed throughout has none.
    expect(validateOwn(schema, value, 'strict').ok).toBe(true);
    for (const { value: grown } of permittedChanges(schema, value)) {
      expect(validateOwn(schema, grown, 'strict')).toEqual({ ok: true, value: grown, drift: [] });
    }
  });
  fc.assert(kept, fcParameters(3));
});

/** One valid value of a schema, with one of its forbidden changes. */
const oneChange = (schema: z.core.$ZodType, prepare = (value: unknown) => value) =>
  fc.tuple(arbitraryOf(schema).map(prepare), fc.nat()).map(([value, pick]) => {
    const changes = forbiddenChanges(schema, value).filter(({ path }) => !saysFailed(path));
    return changes[pick % changes.length] as Mutation;
  });

/** A wrong `success` or `isGood` is tried by itself: `false` there is the outcome of the operation. */
const saysFailed = (path: readonly unknown[]) =>
  path.length === 1 && (path[0] === 'success' || path[0] === 'isGood');

test.each(operations)(
  'an answer to $name with one forbidden change is told at its path',
  async (operation) => {
    const { schema, call, unwrap } = operation;
    const told = fc.asyncProperty(oneChange(schema, succeeding), async ({ value, path, code, grows }) => {
      const text = JSON.stringify(value);
      const drifts: Drift[] = [];
      const hooks = { onDrift: (drift: Drift) => void drifts.push(drift) };
      const error = await rejectionOf(call(answering(text, { validation: 'strict' }).platform));
      expect(error).toBeInstanceOf(ResponseValidationError);
      expect(placesOf((error as ResponseValidationError).issues)).toEqual([{ path, code }]);
      const tolerant = call(answering(text, { hooks }).platform);
      if (!grows) {
        await expect(tolerant).rejects.toMatchObject({ issues: [{ path, code }] });
        return;
      }
      expect(isSame(await tolerant, unwrap(JSON.parse(text)))).toBe(true);
      expect(drifts.flatMap(({ issues }) => placesOf(issues))).toEqual([{ path, code }]);
    });
    await fc.assert(told, fcParameters(30));
  },
);

test.each(eventTypes)('a %s with one forbidden change is told at its path', (type) => {
  const { payload: schema } = webhookEvents[type];
  const parse = (value: unknown, validation: 'strict' | 'tolerant', drifts: Drift[] = []) =>
    parseWebhook(
      { type, payload: { ...(value as object), workspaceSecret: secret } },
      { secret, validation, onDrift: (drift) => void drifts.push(drift) },
    );
  // A payload that is no object at all is no envelope: it presents no secret.
  const changes = oneChange(schema).filter(({ path }) => path.length > 0);
  const told = fc.property(changes, ({ value, path, code, grows }) => {
    const expected = [{ path: ['payload', ...path], code }];
    expect(() => parse(value, 'strict')).toThrow(WebhookPayloadError);
    expect(() => parse(value, 'strict')).toThrow(
      expect.objectContaining({ issues: [expect.objectContaining(expected[0] ?? {})] }),
    );
    if (!grows) {
      expect(() => parse(value, 'tolerant')).toThrow(WebhookPayloadError);
      return;
    }
    const drifts: Drift[] = [];
    expect(parse(value, 'tolerant', drifts).payload).toEqual(value);
    expect(drifts.flatMap(({ issues }) => placesOf(issues))).toEqual(expected);
  });
  fc.assert(told, fcParameters(30));
});

test.each([
  ['a variable', 'VariableInput', ['variable']],
  ['a release', 'ReleaseNumberInput', []],
] as const)(
  '%s with one forbidden change is refused in every mode, and nothing is sent',
  async (_, record, above) => {
    const modes = fc.constantFrom('strict', 'tolerant', 'report', 'off' as const);
    const refused = fc.asyncProperty(oneChange(schemaOf(record)), modes, async (change, validation) => {
      const { platform, sent } = answering('{}', { validation });
      // The types forbid most of these arguments.
      const argument = change.value as never;
      const call =
        record === 'VariableInput'
          ? platform.variables.create('a1', argument)
          : platform.phoneNumbers.release(argument);
      const error = (await rejectionOf(call)) as RequestValidationError;
      expect(error).toBeInstanceOf(RequestValidationError);
      expect(placesOf(error.issues)).toEqual([{ path: [...above, ...change.path], code: change.code }]);
      expect(sent).toEqual([]);
    });
    await fc.assert(refused, fcParameters(30));
  },
);
