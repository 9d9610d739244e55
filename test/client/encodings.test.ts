import { type ApiError, endpoint, redact } from 'agent-platform-sdk';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { rejectionOf } from '../support/client.js';
import { answerWith, connectTo } from '../support/msw.js';

const CANARY = 'canary-1f9d2c-of-this-test';
const json = JSON.stringify;
const html = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
const inNumbers = (text: string): string => text.replaceAll('"', '&#34;');
const inHexadecimal = (text: string): string => text.replaceAll('"', '&#x22;');
const form = (text: string): string => new URLSearchParams({ text }).toString();

async function rawBodyOf(body: string, token?: string): Promise<string> {
  const { platform } = connectTo(answerWith(500, body), token === undefined ? {} : { token });
  return ((await rejectionOf(platform.tools.get('t1'))) as ApiError).rawBody;
}

describe('a token is found', () => {
  const token = `sk~live!${CANARY}/abc"456+def==`;

  test.each<[string, (token: string) => string]>([
    ['in a form', form],
    ['in a form in lower case', (text) => form(text).replace(/%../g, (code) => code.toLowerCase())],
    ['in JSON of PHP', (text) => `Fatal: {"token":${json(text).replaceAll('/', '\\/')}`],
    ['in JSON in JSON', (text) => `Fatal: ${json(json(text))}`],
    ['in JSON in a form', (text) => form(json({ text }))],
    ['in an address in an address', (text) => `/login?next=${encodeURIComponent(encodeURIComponent(text))}`],
  ])('%s', async (_, echo) => {
    const rawBody = await rawBodyOf(echo(token), token);
    expect(rawBody).toContain('[redacted]');
    expect(rawBody).not.toContain('live');
    expect(rawBody).not.toContain('def');
  });

  test('in the query that the SDK itself writes', async () => {
    const search = endpoint({
      method: 'GET',
      path: '/x',
      query: z.object({ q: z.string() }),
      response: z.unknown(),
    });
    const { platform } = connectTo(answerWith(500), { token });
    const error = await rejectionOf(platform.send(search, { query: { q: token } }));
    expect(error).toMatchObject({ path: '/x?q=[redacted]' });
  });
});

describe('a marked field is found', () => {
  const variable = { key: 'k', isEnv: true, value: `${CANARY} "and", more; of it`, usedSecret: CANARY };
  const text = json(variable);

  test.each([
    ['in HTML', `<pre>request: ${html(text)}</pre>`],
    ['in HTML in HTML', `<pre>request: ${html(html(text))}</pre>`],
    ['in HTML with numbers for characters', `<pre>request: ${inNumbers(text)}</pre>`],
    ['in HTML with hexadecimal numbers', `<pre>request: ${inHexadecimal(text)}</pre>`],
    ['in JSON in HTML', `<pre>request: ${html(json(text))}</pre>`],
    ['in a tag in HTML', `&lt;usedSecret&gt;${CANARY}&lt;/usedSecret&gt;`],
    ['in a dump of Ruby in HTML', html(`{"usedSecret"=>"${CANARY}"}`).replaceAll('>', '&gt;')],
    ['in an address', `/x?body=${encodeURI(text)}`],
    ['in an address in an address', `/x?next=${encodeURIComponent(encodeURIComponent(text))}`],
    ['in an address with spaces', `/x?body=${encodeURI(json(variable, null, 1))}`],
    ['in a form', form(json(variable, null, 1))],
    ['in JSON in a form', form(json(text))],
    [
      'in JSON that hides its quotation marks',
      `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\u0022')}`,
    ],
    ['in quotation marks that hold others', `usedSecret: '${CANARY}\\'s ${CANARY}'`],
    ['behind another name', `invalid value: usedSecret: ${CANARY}`],
    ['over two lines', `usedSecret="a\\\n${CANARY}"`],
  ])('%s', async (_, body) => {
    const rawBody = await rawBodyOf(body);
    expect(rawBody).toContain('[redacted]');
    expect(rawBody).not.toContain(CANARY);
    expect(rawBody).not.toContain('more');
  });

  test('in the words of an error, and of the fields of its issues', async () => {
    const words = `invalid body: ${text}`;
    const body = { message: words, code: 'c', issues: [{ message: words, received: `got ${text}` }] };
    const { platform } = connectTo(answerWith(400, body));
    const error = (await rejectionOf(platform.tools.get('t1'))) as ApiError;
    expect(error.message).toContain('invalid body: {"key":"k","isEnv":true,"value":[redacted]');
    expect(json(error)).not.toContain(CANARY);
  });

  test('but what stands around it is kept', async () => {
    expect(await rawBodyOf(`<p>${html('{"name":"crm","usedSecret":"s"}')}</p>`)).toBe(
      '<p>{&quot;name&quot;:&quot;crm&quot;,&quot;usedSecret[redacted]',
    );
    expect(await rawBodyOf('/x?usedSecret=s&page=2')).toBe('/x?usedSecret=[redacted]&page=2');
  });
});

test.each([
  ['words that hold a variable', 'got {"isEnv":true,"value":"s"} ', 'got {"isEnv":true,"value":[redacted]} '],
  ['words that hold none', 'the value: 5', 'the value: 5'],
  [
    'an address in an address',
    `/cb?next=${encodeURIComponent(encodeURIComponent('{"workspaceSecret":"s"}'))}&page=2`,
    '/cb?next=%257B%2522workspaceSecret[redacted]',
  ],
  ['what is masked already', 'magicCode=[redacted] and more', 'magicCode=[redacted] and more'],
  ['JSON without a marked field, as it is written', '{ "a": 1 }', '{ "a": 1 }'],
  ['JSON whose names are written in numbers', '{"magic\\u0043ode":"s"}', '{"magicCode":"[redacted]"}'],
])('redact: %s', (_, text, masked) => {
  expect(redact({ text })).toEqual({ text: masked });
});
