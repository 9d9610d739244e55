interface RuntimeGlobals {
  readonly process?: {
    readonly env?: Record<string, string | undefined>;
    readonly versions?: Record<string, string>;
  };
  readonly Deno?: {
    readonly version?: { readonly deno?: string };
    readonly env?: { get(name: string): string | undefined };
  };
  readonly Bun?: { readonly version?: string };
  readonly navigator?: { readonly userAgent?: string };
  readonly window?: unknown;
  readonly document?: unknown;
}

// The cast reads globals that exist in some runtimes only; every one of them is optional here.
const globals = globalThis as unknown as RuntimeGlobals;

/** Reads a setting where an environment exists; blank counts as missing. Never throws. */
export function readEnvironment(name: string): string | undefined {
  try {
    const value = globals.process?.env?.[name] ?? globals.Deno?.env?.get(name);
    return value?.trim() === '' ? undefined : value;
  } catch {
    return undefined; // Deno without permission to read the environment.
  }
}

/** `node/20.20.2`, `bun/1.4.4`, `deno/2.9.6`, `workerd`, or `unknown`. */
export function runtimeName(): string {
  const { Bun, Deno, navigator, process } = globals;
  if (navigator?.userAgent === 'Cloudflare-Workers') return 'workerd';
  const versions = { bun: Bun?.version, deno: Deno?.version?.deno, node: process?.versions?.node };
  // Bun and Deno have a `process` too, and come first.
  const [name, version] = Object.entries(versions).find(([, found]) => found) ?? [];
  return version === undefined ? 'unknown' : `${name}/${version}`;
}

export function isBrowser(): boolean {
  return globals.window !== undefined && globals.document !== undefined;
}
