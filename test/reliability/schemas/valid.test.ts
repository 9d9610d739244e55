import { parseWebhook, webhookEvents } from 'agent-platform-sdk';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { type ValidationMode, validateOwn } from '../../../src/validation/validate.js';
import { recordNames } from '../../schemas/document-table.js';
import { schemaOf } from '../../schemas/records.js';
import { fcParameters } from '../support/form.js';
import { arbitraryOf } from './arbitraries.js';
import { answering, operations, succeeding } from './doors.js';
import { isSame } from './same.js';

const secret = 'secret-of-the-reliability-tests';
const modes: readonly ValidationMode[] = ['strict', 'tolerant', 'report', 'off'];
const eventTypes = Object.keys(webhookEvents) as (keyof typeof webhookEvents)[];

test.each(recordNames)(
  'any valid %s is accepted without drift, and is the value that was given',
  (record) => {
    const schema = schemaOf(record);
    const accepted = fc.property(arbitraryOf(schema), fc.constantFrom(...modes), (value, mode) => {
      const before = structuredClone(value);
      const verdict = validateOwn(schema, value, mode);
      expect(verdict).toEqual({ ok: true, value, drift: [] });
      expect(verdict.ok && verdict.value).toBe(value);
      expect(isSame(value, before)).toBe(true);
      expect(isSame(z.parse(schema, value), before)).toBe(true);
    });
    fc.assert(accepted, fcParameters(30));
  },
);

test.each(operations)('any valid answer to $name comes back deep-equal', async ({ schema, unwrap, call }) => {
  const comesBack = fc.asyncProperty(
    arbitraryOf(schema).map(succeeding),
    fc.constantFrom(...modes),
    async (body, validation) => {
      const text = JSON.stringify(body);
      const { platform } = answering(text, {
        validation,
        hooks: { onDrift: () => expect.unreachable('a valid answer is no drift') },
      });
      const expected = unwrap(JSON.parse(text));
      expect(isSame(await call(platform), expected)).toBe(true);
    },
  );
  await fc.assert(comesBack, fcParameters(30));
});

test.each(eventTypes)('any valid %s comes back deep-equal, less its secret', (type) => {
  const comesBack = fc.property(
    arbitraryOf(webhookEvents[type].payload),
    fc.constantFrom(...modes),
    (payload, validation) => {
      const text = JSON.stringify({ type, payload: { ...(payload as object), workspaceSecret: secret } });
      const event = parseWebhook(text, { secret, validation, onDrift: () => expect.unreachable() });
      expect(isSame(event, { type, payload: JSON.parse(JSON.stringify(payload)) })).toBe(true);
    },
  );
  fc.assert(comesBack, fcParameters(30));
});
