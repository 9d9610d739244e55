import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigurationError } from '../errors/index.js';
import { callableHost, hostInUrl } from '../testing/http/hosts.js';

/** Starts a server. Resolves with its URL for calls from this machine. */
export async function startListening(server: Server, host: string, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenError(error, host, port) as Error));
    server.listen(port, host, resolve);
  });
  // A server that listens on a port has an address of this form.
  return `http://${hostInUrl(callableHost(host))}:${(server.address() as AddressInfo).port}`;
}

/** Describes why a server cannot listen. */
export function listenError(error: unknown, host: string, port: number): unknown {
  if (error instanceof ConfigurationError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  const problem =
    code === 'EADDRINUSE'
      ? `Port ${port} is in use. Choose another with --port, or 0 for any free port.`
      : `Cannot listen at ${hostInUrl(host)}:${port}: ${message}`;
  return new Error(problem, { cause: error });
}
