interface RuntimeGlobals {
  readonly process?: {
    readonly env?: Record<string, string | undefined>;
    readonly versions?: Record<string, string | undefined>;
  };
  readonly navigator?: { readonly userAgent?: string };
  readonly window?: unknown;
  readonly document?: unknown;
}

// The cast reads globals that exist in some runtimes only; every one of them is optional here.
const globals = globalThis as unknown as RuntimeGlobals;

let denied = '';

/** Returns why the environment could not be read, for the end of a message; empty if it could. */
export function whyUnreadable(): string {
  return denied;
}

/**
 * Reads a setting from the environment, without blanks at its ends: a `.env` file with Windows line ends leaves a
 * `\r` (sendgrid-nodejs#732). Undefined if it is blank, or there is no environment.
 */
export function readEnvironment(name: string): string | undefined {
  try {
    // An empty text is no setting.
    return globals.process?.env?.[name]?.trim() || undefined;
  } catch {
    denied = ' It could not be read: Deno needs --allow-env.';
    return undefined;
  }
}

/** `node/20.20.2`, `bun/1.4.4`, `deno/2.9.6`, `workerd`, or `unknown`. */
export function runtimeName(): string {
  if (globals.navigator?.userAgent === 'Cloudflare-Workers') return 'workerd';
  const versions = globals.process?.versions ?? {};
  // Bun and Deno give the version of Node that they imitate too.
  const name = ['bun', 'deno', 'node'].find((one) => versions[one]);
  return name === undefined ? 'unknown' : `${name}/${versions[name]}`;
}

/** Whether this is a page, where everyone can read the token. Not jsdom or happy-dom in a test under Node. */
export function isBrowser(): boolean {
  const versions = globals.process?.versions ?? {};
  const isNode = versions.node !== undefined && versions.electron === undefined;
  return globals.window !== undefined && globals.document !== undefined && !isNode;
}
