import { type ApiError, type Drift, endpoint, redact } from 'agent-platform-sdk';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { rejectionOf } from '../support/client.js';
import { answerWith, connectTo } from '../support/msw.js';

const CANARY = 'canary-1f9d2c-of-this-test';
const json = JSON.stringify;
const html = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
const xml = (text: string): string =>
  html(text).replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll("'", '&apos;');
const inReferences = (text: string): string =>
  text.replace(/[^ -~]/gu, (character) => `&#x${character.codePointAt(0)?.toString(16)};`);
const inDecimals = (text: string): string =>
  text.replace(/[^ -~]/gu, (character) => `&#${character.codePointAt(0)};`);
const inNumbers = (text: string): string => text.replaceAll('"', '&#34;');
const inHexadecimal = (text: string): string => text.replaceAll('"', '&#x22;');
const inAscii = (text: string): string =>
  text.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
/** Writes a character by its number. */
const byCode =
  (before: string) =>
  (character: string): string =>
    before + character.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase();
const form = (text: string): string => new URLSearchParams({ text }).toString();

const NAMES: Readonly<Record<string, string>> = {
  '/': '&sol;',
  '+': '&plus;',
  '=': '&equals;',
  '!': '&excl;',
  '"': '&quot;',
};

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
    ['by quote of Python', (text) => encodeURIComponent(text).replaceAll('%2F', '/').replace('!', '%21')],
    ['by PathEscape of Go', (text) => text.replace(/[/"!]/g, byCode('%'))],
    ['in JSON with all but letters in numbers', (text) => text.replace(/\W/g, byCode('\\u00'))],
    ['in a program', (text) => text.replace(/\W/g, byCode('\\x'))],
    ['behind backslashes, as in a shell', (text) => text.replace(/\W/g, '\\$&')],
    ['in HTML', html],
    [
      'in HTML with all but letters in numbers',
      (text) => text.replace(/\W/g, (c) => `&#${c.charCodeAt(0)};`),
    ],
    ['in HTML with hexadecimal numbers', (text) => text.replace(/\W/g, (c) => `${byCode('&#x')(c)};`)],
    [
      'in HTML with numbers as a browser still reads them',
      (text) => text.replace(/\W(?!\d)/g, (c) => `&#${String(c.charCodeAt(0)).padStart(9, '0')}`),
    ],
    [
      'in HTML with hexadecimal numbers as a browser still reads them',
      (text) => text.replace(/(?<=\W)\w/g, (c) => `&#X${byCode('000000')(c)};`),
    ],
    ['in HTML in JSON in a form', (text) => form(json(html(text)))],
    ['in JSON in JSON in a form in an address', (text) => encodeURIComponent(form(json(json(text))))],
    ['in JSON in HTML', (text) => html(json(text))],
    [
      'in HTML with the names of characters',
      (text) => text.replace(/[/+=!"]/g, (c) => NAMES[c] ?? c).replaceAll('&quot;', '&QUOT;'),
    ],
    ['behind a marked name', (text) => `usedSecret: ${text}`],
    [
      'behind a marked name, in HTML',
      (text) => `usedSecret: ${text.replace(/\W/g, (c) => `${byCode('&#x')(c)};`)}`,
    ],
    ['with every character escaped', (text) => text.replace(/./g, byCode('%'))],
    ['with some characters escaped', (text) => text.replace(/[lv4]/g, byCode('%'))],
    ['in Base64 over several lines', (text) => btoa(text).replace(/.{16}/g, '$&\r\n  ')],
    ['in Base64 over several lines, in JSON', (text) => json(btoa(text).replace(/.{16}/g, '$&\n'))],
    ['in Base64 in a form', (text) => form(btoa(text))],
  ])('%s', async (_, echo) => {
    const rawBody = await rawBodyOf(`<p>no ${echo(token)} here</p>`, token);
    expect(rawBody).toMatch(/^<p>no .{0,24}\[redacted\].{0,10}here<\/p>$/s);
    expect(rawBody).not.toMatch(/live|1f9d2c|def/);
    expect(rawBody).not.toContain(btoa(token).slice(16, 30));
  });

  test.each([
    ['letters of several bytes', 'schlüssel-größe-€-😀'],
    ['what looks like an escape', 'key&of%41&#65;\\x41\\n-and+more'],
    ['blanks', 'a pass phrase of + some words'],
    ['signs of XML', 'a<key>of"it\'s&own'],
    ['white space of every kind', 'a\tkey\r\nof\fmany\blines'],
  ])('with %s', async (_, key) => {
    const echoes = [
      key,
      encodeURIComponent(key),
      form(key),
      json(key),
      inAscii(json(key)),
      html(key),
      xml(key),
      inReferences(key),
      inDecimals(key),
    ];
    const echo = (one: string) => answerWith(500, `<p>no ${one} here</p>`);
    for (const one of echoes.flatMap((text) => [text, encodeURIComponent(text)])) {
      // A variable's, because a header holds no such letters.
      const { platform } = connectTo(echo(one));
      const variable = { key: 'k', isEnv: true, value: key };
      const error = (await rejectionOf(platform.variables.create('a1', variable))) as ApiError;
      expect(error.rawBody).toMatch(/^<p>no \S{0,12}\[redacted\]\S{0,6} here<\/p>$/);
    }
  });

  test.each([['whole in another one', { 'x-api-key': `${token}-and-more` }, `${token}-and-more`]])(
    '%s',
    async (_, headers, echoed) => {
      const { platform } = connectTo(answerWith(500, `no ${echoed}.`), { token, headers });
      expect(await rejectionOf(platform.tools.get('t1'))).toMatchObject({ rawBody: 'no [redacted].' });
    },
  );

  test.each([
    ['in an escape', '/x?token=sk~live!canary-%1', '/x?token=[redacted]'],
    ['in JSON', '{"t":"sk~live!canary-1f9d2c-of-this-test/abc\\', '{"t":"[redacted]'],
    ['in HTML in HTML', 'no sk~live!canary-1f9d2c-of-this-test/abc&amp;quo', 'no [redacted]'],
    ['in a long reference of HTML', 'no sk~live!canary-1f9d2c-of-this-test/abc&#x000002', 'no [redacted]'],
    ['behind an escape', '/x?token=sk%7Elive%21cana', '/x?token=[redacted]'],
  ])('cut %s', async (_, body, shown) => {
    expect(await rawBodyOf(body, token)).toBe(shown);
  });

  test.each([
    ['of JSON', byCode('\\u00')],
    ['of a program', byCode('\\x')],
    ['of an address', byCode('%')],
    ['of HTML', (c: string) => `&#${c.charCodeAt(0)};`],
    ['of HTML, hexadecimal', (c: string) => `${byCode('&#x')(c)};`],
    ['of HTML in an address', (c: string) => encodeURIComponent(`&#${c.charCodeAt(0)};`)],
  ])('cut anywhere, with every character escaped by a number %s', async (_, escaping) => {
    const escaped = token.replace(/./g, escaping);
    const perCharacter = Math.ceil(escaped.length / token.length);
    for (let length = 9 * perCharacter; length <= escaped.length; length += 1) {
      expect(await rawBodyOf(`no ${escaped.slice(0, length)}`, token)).toMatch(
        /^no \S{0,12}\[redacted\]\S{0,12}$/,
      );
    }
  });

  test('in the name of an unknown field, at its thousandth character', async () => {
    const name = `${'x'.repeat(970)} ${token}`;
    const paths: unknown[] = [];
    const hooks = { onDrift: (drift: Drift) => paths.push(...drift.issues.flatMap(({ path }) => path)) };
    const { platform } = connectTo(answerWith(500, { message: 'm', code: 'c', [name]: 1 }), { token, hooks });
    await rejectionOf(platform.tools.get('t1'));
    expect(paths).toEqual([expect.stringMatching(/^x{970} \[redacted\]$/)]);
  });

  test('but not a short word that its escapes stand for', async () => {
    const escaped = '%6e%6f%77%21';
    expect(await rawBodyOf(`${escaped}, not now!`, escaped)).toBe('[redacted], not now!');
  });

  test('cut within an escape of several bytes', async () => {
    const cut = answerWith(400, `<p>no schlüssel-${encodeURIComponent('😀').slice(0, -2)}`);
    const variable = { key: 'k', isEnv: true, value: 'schlüssel-😀-of-it' };
    const error = await rejectionOf(connectTo(cut).platform.variables.create('a1', variable));
    expect(error).toMatchObject({ rawBody: '<p>no [redacted]' });
  });

  test('in the name of a header', async () => {
    const headers = { [`x-${token.slice(8, 30)}`]: 'a', 'x-named': 'magicCode=s', 'x-magiccode': 'b' };
    const { platform } = connectTo(answerWith(500, '', headers), { token: token.slice(8, 30).toUpperCase() });
    const error = (await rejectionOf(platform.tools.get('t1'))) as ApiError;
    expect(Object.fromEntries(error.headers)).toMatchObject({ redacted: 'a', 'x-magiccode': '[redacted]' });
    expect([...error.headers.keys()].join()).not.toContain(CANARY.slice(0, 10));
  });

  test('in the name of a field', async () => {
    const body = { message: 'm', code: 'c', issues: [{ message: 'i', [encodeURIComponent(token)]: 1 }] };
    const { platform } = connectTo(answerWith(500, body), { token });
    expect(await rejectionOf(platform.tools.get('t1'))).toMatchObject({
      issues: [{ message: 'i', '[redacted]': 1 }],
    });
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
    ['over two lines', `usedSecret="a\n${CANARY}"`],
    ['over two lines of a shell', `usedSecret="a\\\n${CANARY}"`],
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
