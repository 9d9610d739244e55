import * as z from 'zod/mini';
import { parseJson } from '../../ground/json.js';
import { isLoopback } from '../../ground/loopback.js';
import type { Changes } from '../changes.js';
import { checkInput, InputError } from '../check-input.js';
import type { FakeRecords } from '../fake-records.js';
import type { FakeWebhooks } from '../fake-webhooks.js';
import type { Faults } from '../faults/faults.js';
import { targetAddress } from '../hosts.js';
import type { FakeState } from '../records.js';
import type { FakeRequest } from '../request-log.js';

/** The parts of a fake that can be reached over HTTP. */
interface Controlled {
  readonly state: FakeState;
  readonly records: FakeRecords;
  readonly webhooks: FakeWebhooks;
  readonly faults: Faults;
  readonly requests: readonly FakeRequest[];
  clearRequests(): void;
  reset(): void;
}

/** A fake that is steered over HTTP. */
export interface Steered {
  readonly fake: Controlled;
  readonly changes: Changes;
  readonly rules: ControlRules;
}

/** Permissions of control requests. */
export interface ControlRules {
  /** Has events posted to other machines. */
  readonly anyTarget: boolean;
}

/** One control request, routed and checked. */
export interface ControlCall<Body, Query> extends Steered {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
}

/** The body and the query of a request that has none. */
export const NOTHING = z.strictObject({});

/** One thing that can be asked of a fake over HTTP, as data: requests are routed and checked by it. */
export interface ControlAction {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below `/_fake`. A last segment `{id}` takes what follows, slashes too. */
  readonly path: string;
  readonly body?: z.core.$ZodType;
  readonly query?: z.core.$ZodType;
  readonly run: (call: ControlCall<never, never>) => unknown;
}

/** Declares an action, its body and its query typed by their schemas. */
export function action<
  Body extends z.core.$ZodType = typeof NOTHING,
  Query extends z.core.$ZodType = typeof NOTHING,
>(
  declaration: Omit<ControlAction, 'body' | 'query' | 'run'> & {
    readonly body?: Body;
    readonly query?: Query;
    readonly run: (call: ControlCall<z.output<Body>, z.output<Query>>) => unknown;
  },
): ControlAction {
  return declaration;
}

/** The answer of an action that has nothing to tell. */
export function done(message: string): object {
  return { success: true, message };
}

/** Refuses a control request, by default because of its input. */
export class ControlError extends Error {
  readonly status: number;

  constructor(message: string, status = 400) {
    super(message);
    this.status = status;
  }
}

/** The body of a request, as its schema has it; an empty one stands for no fields. */
export async function readBody(schema: z.core.$ZodType, request: Request): Promise<unknown> {
  const text = await request.text();
  const value = text === '' ? {} : parseJson(text);
  if (value === undefined) throw new ControlError('The body is not JSON.');
  return checked('The body is wrong', schema, value);
}

/** The query of a request, as its schema has it. */
export function readQuery(schema: z.core.$ZodType, search: URLSearchParams): unknown {
  return checked('The query is wrong', schema, Object.fromEntries(search));
}

function checked(what: string, schema: z.core.$ZodType, value: unknown): unknown {
  const result = checkInput(schema, value);
  if (result.ok) return result.value;
  throw new InputError(what, result.issues);
}

/** Whoever reaches the server could else have it post to places that only this machine reaches. */
export function checkTarget(field: string, text: string, { anyTarget }: ControlRules): string {
  const address = targetAddress(field, text);
  if (anyTarget || isLoopback(new URL(address).hostname)) return address;
  throw new ControlError(
    `${field} must be on this machine (localhost, 127.0.0.1), got ${address}: start with --host, or the option host of listen, to allow others.`,
  );
}
