import * as z from 'zod/mini';
import { flag, number, text } from '../../schemas/leaf.js';
import { closedObject } from '../../schemas/object.js';
import { MAX_TIMEOUT } from '../../validation/option-checks.js';

/** An answer with a status, most often an error. */
export interface StatusFault {
  /** The kind of fault. */
  readonly kind?: 'status' | undefined;
  /** From 200 to 599. */
  readonly status: number;
  /** The error body of section 7 (default), or no body at all. */
  readonly body?: 'document' | 'none' | undefined;
  /** `code` of the error body. Default `'fault'`. */
  readonly code?: string | undefined;
  /** `message` of the error body. */
  readonly message?: string | undefined;
  /** The header `Retry-After`: seconds, or any text that a header can have, such as a date or nonsense. */
  readonly retryAfter?: number | string | undefined;
  /** More headers, such as the `location` of a redirect. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** An HTML page, as a proxy sends it. */
export interface HtmlFault {
  /** The kind of fault. */
  readonly kind: 'html';
  /** Default 502. */
  readonly status?: number | undefined;
}

/** A success without a body. */
export interface EmptyFault {
  /** The kind of fault. */
  readonly kind: 'empty';
  /** Default 200. */
  readonly status?: number | undefined;
}

/** The real answer, cut in the middle of its JSON; to HTTP it is complete. */
export interface TruncatedFault {
  /** The kind of fault. */
  readonly kind: 'truncated';
}

/** A JSON body that does not fit the operation. */
export interface WrongShapeFault {
  /** The kind of fault. */
  readonly kind: 'wrong-shape';
  /** Default 200. */
  readonly status?: number | undefined;
  /** Any JSON value. Default `{ "unexpected": true }`. */
  readonly body?: unknown;
}

/** The real answer, whose body stops half way. */
export interface StallFault {
  /** The kind of fault. */
  readonly kind: 'stall';
  /** The bytes of the body that come first. Default: half; with 0, only status and headers come. */
  readonly after?: number | undefined;
  /** Milliseconds until the rest comes, at most 2 147 483 647. Default: never, until the client gives up. */
  readonly ms?: number | undefined;
}

/** The connection is cut. */
export interface ResetFault {
  /** The kind of fault. */
  readonly kind: 'reset';
  /** Before any of the answer (default), or in the middle of its body. */
  readonly at?: 'start' | 'body' | undefined;
}

/** The connection is never made. In process only: a server that listens cannot refuse. */
export interface RefusedFault {
  /** The kind of fault. */
  readonly kind: 'refused';
}

/** The answer comes late. Can be combined with any other fault. */
export interface LatencyFault {
  /** The kind of fault. */
  readonly kind: 'latency';
  /**
   * Milliseconds, at most 2 147 483 647; or drawn for each call: evenly, or log-normally, with a long tail, as networks do. All latencies
   * of a call together are no longer than that.
   */
  readonly ms:
    | number
    | {
        /** The least. */
        readonly from: number;
        /** The most; not below `from`. */
        readonly to: number;
      }
    | {
        /** Half of the calls take longer. Above 0. */
        readonly median: number;
        /** One call of a hundred takes longer; not below `median`. */
        readonly p99: number;
      };
}

/** Something that goes wrong with a call. */
export type Fault =
  | StatusFault
  | HtmlFault
  | EmptyFault
  | TruncatedFault
  | WrongShapeFault
  | StallFault
  | ResetFault
  | RefusedFault
  | LatencyFault;

/** The name of a fault. */
export type FaultKind = NonNullable<Fault['kind']>;

/** The calls that a fault strikes. */
export interface FaultScope {
  /** The number of calls it strikes. Default 1. */
  readonly times?: number | 'always' | undefined;
  /** Only in this region. */
  readonly region?: 'eu' | 'na' | undefined;
  /** The share of the calls that are struck, from 0 to 1. Default 1. */
  readonly rate?: number | undefined;
  /** Seed of what is drawn: `rate`, and the distribution of a latency. Default 1. */
  readonly seed?: number | undefined;
  /**
   * Carries the operation out all the same, so that the client cannot know. Default false; true for the faults that
   * need the real answer (`truncated`, `stall`, `latency`, `reset` in the body).
   */
  readonly acts?: boolean | undefined;
}

const scope = {
  times: z.optional(
    z.union(
      [z.number().check(z.int(), z.gte(1)), z.literal('always')],
      "expected a whole number from 1, or 'always'",
    ),
  ),
  region: z.optional(z.enum(['eu', 'na'])),
  rate: z.optional(z.number().check(z.gte(0), z.lte(1))),
  seed: number,
  acts: flag,
};
const status = z.number().check(z.int(), z.gte(200), z.lte(599));
const milliseconds = z.number().check(z.gte(0), z.lte(MAX_TIMEOUT));

const RETRY_AFTER = 'expected a number of seconds, or a text that a header can have';

/** Found out now: where the answer is made, it would look like a connection that failed. */
function headersOf(headers: Readonly<Record<string, string>>): Headers | undefined {
  try {
    return new Headers(headers);
  } catch {
    return undefined;
  }
}

const areHeaders = (headers: Readonly<Record<string, string>>): boolean => headersOf(headers) !== undefined;

function canBeDrawn(ms: LatencyFault['ms']): boolean {
  if (typeof ms === 'number') return true;
  return 'from' in ms ? ms.from <= ms.to : ms.median > 0 && ms.median <= ms.p99;
}

/** The fields of each kind, beside the common ones. */
const fields = {
  status: {
    status,
    body: z.optional(z.enum(['document', 'none'])),
    code: text,
    message: text,
    retryAfter: z.optional(
      z
        .union([z.number(), z.string()], RETRY_AFTER)
        .check(z.refine((value) => areHeaders({ 'retry-after': String(value) }), RETRY_AFTER)),
    ),
    headers: z.optional(
      z
        .record(z.string(), z.string())
        .check(z.refine(areHeaders, 'expected names and values that are allowed in HTTP')),
    ),
  },
  html: { status: z.optional(status) },
  empty: { status: z.optional(status) },
  truncated: {},
  'wrong-shape': { status: z.optional(status), body: z.optional(z.unknown()) },
  stall: { after: z.optional(z.number().check(z.int(), z.gte(0))), ms: z.optional(milliseconds) },
  reset: { at: z.optional(z.enum(['start', 'body'])) },
  refused: {},
  latency: {
    ms: z
      .union(
        [
          milliseconds,
          closedObject(() => ({ from: milliseconds, to: milliseconds })),
          closedObject(() => ({ median: milliseconds, p99: milliseconds })),
        ],
        'expected milliseconds, { from, to } or { median, p99 }',
      )
      .check(z.refine(canBeDrawn, 'expected a median above 0, a p99 not below it, and a to not below from')),
  },
} satisfies Record<FaultKind, z.core.$ZodShape>;

export const FAULT_KINDS: readonly string[] = Object.keys(fields);

/** The schema of a fault of one kind, for faults that come as JSON or from untyped code. */
export function faultSchema(kind: FaultKind): z.core.$ZodType {
  return closedObject(() => ({ kind: z.optional(z.literal(kind)), ...scope, ...fields[kind] }));
}
