import { isDeepStrictEqual } from 'node:util';
import { type Drift, endpoint } from 'agent-platform-sdk';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { connect, rejectionOf, success } from '../support/client.js';
import { answerWith, connectTo } from '../support/msw.js';

// So many that a call with one argument for each would overflow the stack.
const MANY = 150_000;

const members = (client: object) => ({
  success: true,
  message: 'ok',
  clients: Array.from({ length: MANY }, (_, index) => ({ ID: `c${index}`, ...client })),
  teams: [],
});

test('a new field in each of very many clients is drift, and takes no one down', async () => {
  const drifts: Drift[] = [];
  const hooks = { onDrift: (drift: Drift) => void drifts.push(drift) };
  const { platform } = connectTo(answerWith(200, members({ grown: 1 })), { hooks });
  const { clients } = await platform.orgs.listMembersAndTeams('o1');
  expect(isDeepStrictEqual(clients, members({ grown: 1 }).clients)).toBe(true);
  expect(drifts).toHaveLength(1);
  expect(drifts[0]?.issues).toHaveLength(101);
  expect(drifts[0]?.issues[100]).toMatchObject({ message: `and ${MANY - 100} more issue(s)` });
});

test('a wrong field behind very many new ones is still found', async () => {
  const body = members({ grown: 1 });
  body.teams.push({ ID: 7 } as never);
  const { platform } = connectTo(answerWith(200, body));
  expect(await rejectionOf(platform.orgs.listMembersAndTeams('o1'))).toMatchObject({
    type: 'response_validation_error',
    issues: [{ path: ['teams', 0, 'ID'] }],
  });
});

test.each(['strict', 'tolerant'] as const)(
  'very many wrong elements are an error that lists some: %s',
  async (validation) => {
    const { platform } = connectTo(answerWith(200, success({ id: 't', channels: Array(MANY).fill(1) })), {
      validation,
    });
    const error = (await rejectionOf(platform.tools.get('t'))) as { issues: unknown[] };
    expect(error).toMatchObject({ type: 'response_validation_error' });
    expect(error).not.toHaveProperty('cause');
    expect(error.issues).toHaveLength(101);
  },
);

test('report passes very many wrong elements on', async () => {
  const channels = Array(MANY).fill(1);
  const { platform } = connectTo(answerWith(200, success({ id: 't', channels })), {
    validation: 'report',
  });
  expect((await platform.tools.get('t')).channels).toHaveLength(MANY);
});

describe('fields with numbers for names', () => {
  const LIMIT = 10_000;
  const issue = {
    path: [],
    code: 'too_many_fields',
    message: 'expected at most 10000 fields with numbers for names; nothing else was checked',
  };

  /** An answer with so many unlisted fields beside its lists, each as `field` writes it. */
  const withFields = (count: number, field: (index: number) => string) => {
    const fields = Array.from({ length: count }, (_, index) => field(index)).join();
    const fetch = async () =>
      new Response(`{"success":true,"message":"ok","clients":[],"teams":[],${fields}}`);
    return (validation: 'strict' | 'tolerant' | 'report' | 'off') => {
      const drifts: Drift[] = [];
      const hooks = { onDrift: (drift: Drift) => void drifts.push(drift) };
      const platform = connect('http://127.0.0.1', { fetch, validation, hooks });
      return { answer: platform.orgs.listMembersAndTeams('o1'), drifts };
    };
  };

  const escaped = (index: number) => `${index}`.replace(/./g, '\\u003$&');

  test.each(['strict', 'tolerant'] as const)('make an answer invalid, from 10,001 on: %s', async (mode) => {
    const error = await rejectionOf(withFields(LIMIT + 1, (index) => `"${index}":1`)(mode).answer);
    expect(error).toMatchObject({ type: 'response_validation_error', issues: [issue] });
    expect(error).toHaveProperty('message', expect.stringContaining("With `validation: 'report'`"));
  });

  test('are unknown fields like others, up to 10,000', async () => {
    const { answer, drifts } = withFields(LIMIT, (index) => `"${index}":1`)('tolerant');
    expect(Object.keys(await answer)).toHaveLength(LIMIT + 2);
    expect(drifts[0]?.issues[0]).toMatchObject({ path: ['0'], code: 'unrecognized_key' });
    expect(drifts[0]?.issues[100]).toMatchObject({ message: `and ${LIMIT - 100} more issue(s)` });
  });

  test('are passed on in mode report, and told', async () => {
    const { answer, drifts } = withFields(LIMIT + 1, (index) => `"${index}":1`)('report');
    expect(await answer).toHaveProperty('10000', 1);
    expect(drifts).toMatchObject([{ issues: [issue] }]);
  });

  test('are passed on in mode off', async () => {
    const { answer, drifts } = withFields(LIMIT + 1, (index) => `"${index}":1`)('off');
    expect(await answer).toHaveProperty('10000', 1);
    expect(drifts).toEqual([]);
  });

  test.each([
    ['ten digits', (index: number) => `"${4_000_000_000 + index}":1`],
    ['a blank before the colon', (index: number) => `"${index}" :1`],
    ['white space of sixteen characters', (index: number) => `"${index}" \n\t\r            :1`],
    ['an escaped digit', (index: number) => `"\\u0031${index}":1`],
    ['an escaped digit before nine others', (index: number) => `"\\u0031${100_000_000 + index}":1`],
    ['escaped digits alone', (index: number) => `"${escaped(index)}":1`],
    ['ten escaped digits', (index: number) => `"${escaped(4_000_000_000 + index)}":1`],
  ])('are counted with escapes, and with white space before the colon: %s', async (_, field) => {
    const error = await rejectionOf(withFields(LIMIT + 1, field)('tolerant').answer);
    expect(error).toMatchObject({ issues: [issue] });
    await withFields(LIMIT, field)('tolerant').answer;
  });

  test.each([
    ['a name of eleven digits', (index: number) => `"${40_000_000_000 + index}":1`],
    ['an escaped digit before ten others', (index: number) => `"\\u0031${1_000_000_000 + index}":1`],
    ['eleven escaped digits', (index: number) => `"${escaped(40_000_000_000 + index)}":1`],
    ['a name that ends in a digit', (index: number) => `"k${index}":1`],
    ['a name with an escaped letter', (index: number) => `"\\u0061${index}":1`],
    ['a name that ends like an escape', (index: number) => `"menu${index}":1`],
    ['a text that is a number', (index: number) => `"k${index}":"${index}"`],
    ['a text that is a number, and a blank', (index: number) => `"k${index}":"${index}" `],
    [
      'a text that is a number, and a new line',
      (index: number) => `"k${index}":"${index}"\n${' '.repeat(40)}`,
    ],
    ['a name that ends in a quotation mark and a digit', (index: number) => `"k${index}\\"1":1`],
    ['a text with what looks like such a field', (index: number) => `"k${index}":"\\"${index}\\":"`],
  ])('are none of these: %s', async (_, field) => {
    const { answer, drifts } = withFields(LIMIT + 1, field)('tolerant');
    await answer;
    expect(drifts[0]?.issues[0]).toMatchObject({ code: 'unrecognized_key' });
  });

  test('are left to a schema of the user', async () => {
    const numbers = Object.fromEntries(Array.from({ length: LIMIT + 1 }, (_, index) => [index, 1]));
    const mine = endpoint({
      method: 'GET',
      path: '/numbers',
      response: z.record(z.string(), z.number()),
    });
    const platform = connect('http://127.0.0.1', { fetch: async () => Response.json(numbers) });
    expect(await platform.send(mine, {})).toEqual(numbers);
  });
});
