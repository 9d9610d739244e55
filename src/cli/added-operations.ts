import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as z from 'zod/v4/mini';
import { endpoint, type HttpMethod } from '../endpoints/endpoint.js';
import { withData } from '../endpoints/response-shape.js';
import type { Handler } from '../testing/fake/handler.js';
import type { FakePlatform } from '../testing/fake-platform.js';
import { isObject } from '../utils/json.js';
import { UsageError } from './command.js';

/** Adds the operations of a module to a fake: a record of handlers by method and path. */
export async function addHandlers(platform: FakePlatform, file: string): Promise<void> {
  try {
    const loaded = (await import(pathToFileURL(resolve(file)).href)) as { readonly default?: unknown };
    addRecord(platform, loaded.default);
  } catch (error) {
    throw new UsageError(`--handlers: ${file}: ${(error as Error).message}`, { cause: error });
  }
}

function addRecord(platform: FakePlatform, handlers: unknown): void {
  if (!isObject(handlers)) throw new Error('The default export must be an object of handlers.');
  for (const [operation, handler] of Object.entries(handlers)) {
    const [method = '', path = ''] = operation.split(' ');
    if (typeof handler !== 'function') throw new Error(`The handler of "${operation}" must be a function.`);
    const body = /^(POST|PUT|PATCH)$/.test(method) ? { body: z.unknown() } : {};
    const response = withData(z.unknown());
    // `endpoint` checks method and path.
    const declared = endpoint({ method: method as HttpMethod, path, ...body, response });
    platform.handle(declared, handler as Handler<string, unknown, undefined, unknown>);
  }
}
