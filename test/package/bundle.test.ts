import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { filesIn } from '../../scripts/files.js';
import { type BundleOptions, bundlers } from './bundlers.js';
import { project } from './install.js';

/** A program that misuses the package in every way, and says what it got. */
const FAILING_PROGRAM = `
import * as sdk from 'agent-platform-sdk';

const connection = { region: 'eu', token: 'a-token-of-tests', baseUrls: { eu: 'https://eu.example' }, maxRetries: 0 };
const answering = (status, body) =>
  new sdk.AgentPlatform({ ...connection, fetch: async () => new Response(body, { status }) });
const unreachable = new sdk.AgentPlatform({ ...connection, fetch: () => Promise.reject(new TypeError('no')) });
const failures = [
  () => new sdk.AgentPlatform({ ...connection, region: 'us' }),
  () => answering(200, '{}').tools.get(''),
  () => answering(200, '<html>').tools.get('tool'),
  () => answering(200, '{"success":false,"message":"no","data":{"id":"tool"}}').tools.get('tool'),
  () => answering(401, '').tools.get('tool'),
  () => answering(418, '').tools.get('tool'),
  () => answering(503, '').tools.get('tool'),
  () => unreachable.tools.get('tool'),
  () => answering(200, '{}').tools.get('tool', { signal: AbortSignal.abort() }),
  () => sdk.parseWebhook('{"type":"webhook_test","payload":{"workspaceSecret":"a-secret"}}', { secret: 'a-secret' }),
  () => sdk.parseWebhook('{"type":"webhook_test","payload":{}}', { secret: 'a-secret' }),
];
const caught = [];
for (const fail of failures) {
  try {
    await fail();
  } catch (error) {
    const [firstLine] = error.stack.split(':', 1);
    caught.push([error.name, error.type, firstLine, String(error).startsWith(error.name + ': ')]);
  }
}
const classes = Object.entries(sdk).filter(([name]) => name.endsWith('Error'));
const renamed = classes.filter(([name, type]) => Object.create(type.prototype).name !== name);
console.log(JSON.stringify({ caught, classes: classes.length, renamed }));
`;

/**
 * The built files in a folder of their own, whose package.json vouches for ky alone: a file of its own that has effects as
 * it loads. For the rest nothing vouches but its own code.
 */
function withoutManifest(): string {
  const dist = join(inject('consumer'), 'node_modules/agent-platform-sdk/dist');
  const effects = filesIn(dist, '.js').filter((file) => !isOfKy(file));
  const sideEffects = effects.map((file) => `./${relative(dist, file)}`);
  const directory = project(inject('consumer'), { 'package.json': JSON.stringify({ sideEffects }) });
  cpSync(dist, directory, { recursive: true });
  return directory;
}

/** Files of which the build says that nothing but ky went into them. */
function isOfKy(file: string): boolean {
  const { outputs } = JSON.parse(readFileSync('dist/metafile-esm.json', 'utf8')) as {
    outputs: Readonly<Record<string, { inputs: object }>>;
  };
  const sources = Object.keys(outputs[`dist/${basename(file)}`]?.inputs ?? {});
  return sources.length > 0 && sources.every((source) => source.includes('node_modules/ky/'));
}

describe.each(bundlers)('%s', (_, bundler, bytesLeft) => {
  const bundle = (code: string, options: Partial<BundleOptions> = {}) =>
    bundler({ code, directory: project(inject('consumer'), {}), ...options });

  test('drops a package of which nothing is used', async () => {
    const { text } = await bundle(`import './index.js';`, { directory: withoutManifest() });
    expect(text.length).toBeLessThanOrEqual(bytesLeft);
  });

  test.each([
    ['an error class', 'ApiError', ['/tools/{toolId}', 'verification_failed', 'invalid_type']],
    ['a schema', 'ToolSchema', ['/tools/{toolId}', 'AgentPlatformError', 'usagePerModel']],
    ['the parser of webhooks', 'parseWebhook', ['/tools/{toolId}', 'usagePerModel', 'RateLimitError']],
    ['the client', 'AgentPlatform', ['lead_captured', 'WebhookVerificationError']],
  ])('bundles with %s nothing that belongs to the rest', async (_name, name, unwanted) => {
    const everything = await bundle(`export * from 'agent-platform-sdk';`);
    const { text } = await bundle(`import { ${name} } from 'agent-platform-sdk'; console.log(${name});`);
    expect(unwanted.filter((part) => !everything.text.includes(part))).toEqual([]);
    expect(unwanted.filter((part) => text.includes(part))).toEqual([]);
  });

  test('bundles all of the package for the edge without a word of Node', async () => {
    const { text, imports } = await bundle(`export * from 'agent-platform-sdk';`);
    expect(imports).toEqual([]);
    expect(text).not.toContain('node:');
  });

  test.each(['edge', 'browser'] as const)('bundles the fake for the %s', async (target) => {
    const { imports } = await bundle(`export * from 'agent-platform-sdk/testing';`, { target });
    expect(imports).toEqual([]);
  });

  test('bundles the msw handlers for the worker of a browser', async () => {
    const code = `export * from 'agent-platform-sdk/testing'; export * from 'agent-platform-sdk/testing/msw';`;
    const directory = project(inject('consumerWithPeers'), {});
    const { imports } = await bundle(code, { directory, target: 'browser', external: ['msw'] });
    expect(imports).toEqual(['msw']);
  });

  test('keeps the names and types of errors when it minifies', async () => {
    const { text } = await bundle(FAILING_PROGRAM);
    const file = join(project(inject('consumer'), {}), 'bundled.mjs');
    writeFileSync(file, text);
    const { caught, classes, renamed } = JSON.parse(
      execFileSync(process.execPath, [file], { encoding: 'utf8' }),
    );
    expect(text).not.toMatch(/class RateLimitError/);
    expect(classes).toBeGreaterThan(15);
    expect(renamed).toEqual([]);
    expect(caught).toEqual(
      [
        ['ConfigurationError', 'configuration_error'],
        ['RequestValidationError', 'request_validation_error'],
        ['ResponseValidationError', 'response_validation_error'],
        ['OperationFailedError', 'operation_failed_error'],
        ['AuthenticationError', 'authentication_error'],
        ['ApiError', 'api_error'],
        ['ServerError', 'server_error'],
        ['ConnectionError', 'connection_error'],
        ['AbortError', 'abort_error'],
        ['WebhookPayloadError', 'webhook_payload_error'],
        ['WebhookVerificationError', 'webhook_verification_error'],
      ].map(([name, type]) => [name, type, name, true]),
    );
  });
});
