import { type Drift, type Logger, withData } from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { formatIssues, formatPath, IssueList, typeName } from '../../src/ground/issues.js';
import { findNonJson } from '../../src/ground/json.js';
import { LeveledLogger } from '../../src/ground/logger.js';
import { closedObject, isOwnSchema, openObject } from '../../src/schemas/object.js';
import { DriftReporter } from '../../src/validation/drift.js';
import { type ValidationMode, validate, validateOwn } from '../../src/validation/validate.js';
import { RecordingLogger } from '../support/recording-logger.js';

test.each([
  [[], '(root)'],
  [['data', 'channels', 0], 'data.channels[0]'],
  [[0, 'ID'], '[0].ID'],
  [['$a', '_b', 'c1'], '$a._b.c1'],
  [['a-b', '1c', ''], '["a-b"]["1c"][""]'],
  [['d e'], '["d e"]'],
  [['n'.repeat(200)], 'n'.repeat(100)],
])('the path %j reads %s', (path, text) => {
  expect(formatPath(path)).toBe(text);
});

test.each([
  [undefined, 'nothing'],
  [null, 'null'],
  [[], 'array'],
  [{}, 'object'],
  [5, 'number'],
  [Number.NaN, 'NaN'],
  [Number.NEGATIVE_INFINITY, '-Infinity'],
  ['5', 'string'],
  [true, 'boolean'],
])('the type of %s is called %s', (value, name) => {
  expect(typeName(value)).toBe(name);
});

const issue = (path: string) => ({ path: [path], code: 'c', message: 'm' });

test.each([
  [0, 0],
  [100, 100],
  [101, 101],
  [250, 101],
])('of %i issues, %i are listed', (count, listed) => {
  const list = new IssueList();
  let described = 0;
  for (let index = 0; index < count; index += 1) {
    list.add(() => {
      described += 1;
      return issue(String(index));
    });
  }
  expect(list.all()).toHaveLength(listed);
  expect(described).toBe(Math.min(count, 100));
  expect(formatIssues(list.all()).endsWith(`\n  - (root): and ${count - 100} more issue(s)`)).toBe(
    count > 100,
  );
});

const schema = openObject(() => ({
  anything: z.unknown(),
  count: z.optional(z.number()),
  kind: z.optional(z.enum(['a', 'b'])),
  fixed: z.optional(z.literal('x')),
  parts: z.optional(z.array(closedObject(() => ({ name: z.string() })))),
  tags: z.optional(z.array(z.string())),
}));

test.each<[what: string, value: unknown, path: unknown[], message: string, grows: boolean]>([
  ['a missing field of any value', {}, ['anything'], 'required: expected a value', false],
  ['a wrong type', { anything: 0, count: '1' }, ['count'], 'expected number, received string', false],
  [
    'null in an optional field',
    { anything: 0, count: null },
    ['count'],
    'expected number, received null',
    true,
  ],
  [
    'another text',
    { anything: 0, kind: 'c' },
    ['kind'],
    'expected one of "a", "b", received another string',
    true,
  ],
  [
    'another text than the only one',
    { anything: 0, fixed: 'y' },
    ['fixed'],
    'expected one of "x", received another string',
    true,
  ],
  ['no text', { anything: 0, kind: 7 }, ['kind'], 'expected one of "a", "b", received number', false],
  ['a new field', { anything: 0, parts: [{ name: '', x: 1 }] }, ['parts', 0, 'x'], 'unknown field', true],
  ['a missing field', { anything: 0, parts: [{}] }, ['parts', 0, 'name'], 'required: expected string', false],
  [
    'null in a list of texts',
    { anything: 0, tags: [null] },
    ['tags', 0],
    'expected string, received null',
    false,
  ],
  [
    'a new field with a long name',
    { anything: 0, parts: [{ name: '', ['n'.repeat(2_000)]: 1 }] },
    ['parts', 0, 'n'.repeat(1_000)],
    'unknown field',
    true,
  ],
  ['null in a list', { anything: 0, parts: [null] }, ['parts', 0], 'expected object, received null', false],
  [
    'a list for an object',
    { anything: 0, parts: [[]] },
    ['parts', 0],
    'expected object, received array',
    false,
  ],
  ['an object for a list', { anything: 0, parts: {} }, ['parts'], 'expected array, received object', false],
])('%s is told at its place, in its words', (_, value, path, message, grows) => {
  const ofAList = message.startsWith('expected one of') ? 'invalid_value' : 'invalid_type';
  const issues = [{ path, code: message === 'unknown field' ? 'unrecognized_key' : ofAList, message }];
  expect(validateOwn(schema, value, 'strict')).toEqual({ ok: false, issues });
  expect(validateOwn(schema, value, 'tolerant')).toEqual(
    grows ? { ok: true, value, drift: issues } : { ok: false, issues },
  );
  expect(validateOwn(schema, value, 'report')).toEqual({ ok: true, value, drift: issues });
  expect(validateOwn(schema, value, 'off')).toEqual({ ok: true, value, drift: [] });
});

test('an undefined field is as good as a missing one', () => {
  expect(validateOwn(schema, { anything: undefined, count: undefined }, 'strict')).toMatchObject({
    ok: true,
  });
});

test.each([
  ['one of ours', openObject(() => ({})), true],
  ['a list of one', z.array(closedObject(() => ({}))), true],
  ['a list of another', z.array(z.object({})), false],
  ['one in an optional', z.optional(openObject(() => ({}))), false],
  ['an object of Zod', z.object({}), false],
  ['no schema of Zod', {}, false],
])('%s: is it our own?', (_, candidate, isOwn) => {
  expect(isOwnSchema(candidate)).toBe(isOwn);
});

const foreign = z.object({ id: z.pipe(z.string(), z.transform(Number)) });

test.each<[ValidationMode, unknown, unknown]>([
  ['strict', { id: '7' }, { ok: true, value: { id: 7 }, drift: [] }],
  ['tolerant', { id: '7', x: 1 }, { ok: true, value: { id: 7 }, drift: [] }],
  ['off', { id: 7 }, { ok: true, value: { id: 7 }, drift: [] }],
  ['report', { id: 7 }, { ok: true, value: { id: 7 }, drift: [expect.objectContaining({ path: ['id'] })] }],
  [
    'tolerant',
    { id: 7 },
    { ok: false, issues: [expect.objectContaining({ path: ['id'], code: 'invalid' })] },
  ],
])("a schema of the user's own decides, in %s", async (mode, value, verdict) => {
  expect(await validate(foreign, value, mode)).toEqual(verdict);
});

test("the envelope around a user's own schema requires success, and misses no message", async () => {
  const { schema: envelope } = withData(foreign);
  const data = { id: '7' };
  expect(await validate(envelope, { success: true, data }, 'strict')).toEqual({
    ok: true,
    value: { success: true, data: { id: 7 } },
    drift: [],
  });
  expect(await validate(envelope, { data }, 'tolerant')).toMatchObject({ issues: [{ path: ['success'] }] });
});

test("what is wrong in the data of a user's own schema is told below `data`", async () => {
  const { schema: envelope } = withData(foreign);
  expect(await validate(envelope, { success: true, data: { id: 7 } }, 'tolerant')).toMatchObject({
    issues: [{ path: ['data', 'id'] }],
  });
  const { schema: refusing } = withData(standard(undefined) as never);
  expect(await validate(refusing, { success: true, data: 5 }, 'tolerant')).toMatchObject({
    issues: [{ path: ['data'], message: 'said "5"' }],
  });
});

const standard = (path: readonly unknown[] | undefined, message: unknown = 'said "5"') => ({
  '~standard': { version: 1, vendor: 'test', validate: () => ({ issues: [{ message, path }] }) },
});

test('words of another library that are no text become one', async () => {
  expect(await validate(standard([], null) as never, 5, 'strict')).toMatchObject({
    issues: [{ message: 'null' }],
  });
});

test.each([
  [undefined, [], 'said "5"'],
  [[{ key: 'a' }, 1], ['a', 1], 'said "5"'],
  [[Symbol('s')], ['Symbol(s)'], 'said "5"'],
  [['magicCode', 'deep'], ['magicCode', 'deep'], 'invalid value'],
  [['variable', 'value'], ['variable', 'value'], 'invalid value'],
  [['variable', 'defaultValue'], ['variable', 'defaultValue'], 'invalid value'],
])('the path %j of another library is taken over', async (path, expected, message) => {
  expect(await validate(standard(path) as never, 5, 'strict')).toEqual({
    ok: false,
    issues: [{ path: expected, code: 'invalid', message }],
  });
});

test('of 250 issues of another library, 100 are listed and the rest is counted', async () => {
  const all = Array.from({ length: 250 }, (_, at) => ({ message: `no ${at}` }));
  const many = { '~standard': { version: 1, vendor: 'test', validate: () => ({ issues: all }) } };
  const verdict = await validate(many as never, 5, 'strict');
  const issues = verdict.ok ? [] : verdict.issues;
  expect(issues).toHaveLength(101);
  expect(issues.at(-1)).toMatchObject({ message: 'and 150 more issue(s)' });
});

function report(logger: Logger, onDrift?: (drift: Drift) => void) {
  const reporter = new DriftReporter(new LeveledLogger(logger, 'debug'), onDrift);
  return (path: (string | number)[], code = 'c', source = 'GET /x') =>
    reporter.report({ source, region: 'eu', issues: [{ path, code, message: 'm' }] });
}

test('drift is a warning once for each place, whatever the index, and then a line at debug', async () => {
  const logger = new RecordingLogger();
  const tell = report(logger);
  await tell(['list', 0, 'x']);
  await tell(['list', 1, 'x']);
  await tell(['list', 'a', 'x']);
  await tell(['list', 0, 'x'], 'another');
  await tell(['list', 0, 'x'], 'c', 'GET /y');
  expect(logger.lines.map((line) => line.split(' ')[0])).toEqual(['warn', 'debug', 'warn', 'warn', 'warn']);
  expect(logger.lines[0]).toContain('GET /x departs from the specification\n  - list[0].x: m');
  expect(logger.lines[1]).toContain('GET /x departs from the specification\n  - list[1].x: m');
});

test('drift of which one place is new is a warning', async () => {
  const logger = new RecordingLogger();
  const reporter = new DriftReporter(new LeveledLogger(logger, 'debug'), undefined);
  for (const names of [['a'], ['a', 'b'], ['b', 'a']]) {
    const issues = names.map((name) => ({ path: [name], code: 'c', message: 'm' }));
    await reporter.report({ source: 'GET /x', region: 'eu', issues });
  }
  expect(logger.lines.map((line) => line.split(' ')[0])).toEqual(['warn', 'warn', 'debug']);
});

test('a thousand kinds of drift are warnings, and further ones lines at debug', async () => {
  const logger = new RecordingLogger();
  const tell = report(logger);
  for (let kind = 0; kind <= 1_000; kind += 1) await tell([`field${kind}`]);
  expect(logger.lines.slice(998).map((line) => line.split(' ')[0])).toEqual(['warn', 'warn', 'debug']);
});

test.each([
  [new TypeError('said too much'), 'TypeError'],
  ['said too much', 'string'],
])('a hook for drift that throws is told by its class and its place alone: %o', async (thrown, name) => {
  const logger = new RecordingLogger();
  const tell = report(logger, () => Promise.reject(thrown));
  await tell(['x']);
  const [line, ...frames] = logger.lines[1]?.split('\n') ?? [];
  expect(line).toBe(`error [agent-platform-sdk] the hook onDrift failed: ${name}`);
  expect(frames.every((frame) => /^ {4}at /.test(frame))).toBe(true);
  expect(frames.length > 0).toBe(thrown instanceof Error);
});

const shared = { a: 1 };
const itself: { list: unknown[] } = { list: [] };
itself.list.push({ itself });

test.each<[what: string, value: unknown, path: unknown[] | undefined]>([
  ['a record', { a: [null, true, 'x', 1.5, { b: {} }] }, undefined],
  ['the same object twice', { one: shared, other: shared, list: [shared, shared] }, undefined],
  ['an undefined field', { a: undefined }, undefined],
  ['an undefined element', { a: [1, undefined] }, ['a', 1]],
  ['a date', new Date(0), undefined],
  ['a date that is none', { at: new Date(Number.NaN) }, ['at']],
  ['infinity', [[Number.POSITIVE_INFINITY]], [0, 0]],
  ['an object that holds itself', itself, ['list', 0, 'itself']],
  ['a map', { a: new Map() }, ['a']],
  ['an iterator of a list', { a: [].values() }, ['a']],
  ['a function', { a: [() => 1] }, ['a', 0]],
  ['a bigint', { a: 1n }, ['a']],
  ['a map with a JSON form', { a: Object.assign(new Map(), { toJSON: () => 1 }) }, undefined],
])('%s: can JSON hold it?', (_, value, path) => {
  expect(findNonJson(value)?.path).toEqual(path);
});

test('a required field that is undefined is one issue', () => {
  const schema = openObject(() => ({ name: z.string(), size: z.number() }));
  expect(validateOwn(schema, { name: undefined, size: '1' }, 'strict')).toMatchObject({
    issues: [{ path: ['name'] }, { path: ['size'] }],
  });
});

test('an optional field that is undefined is no issue beside another one', () => {
  const schema = openObject(() => ({ name: z.optional(z.string()), size: z.number() }));
  expect(validateOwn(schema, { name: undefined, size: '1' }, 'strict')).toMatchObject({
    ok: false,
    issues: [{ path: ['size'] }],
  });
});
