import { ConfigurationError } from '../errors/index.js';
import { hostInUrl } from '../testing/http/hosts.js';

/** Starts a server. If its port is taken, the error says what to do. */
export async function listenAt<Server>(
  host: string,
  port: number,
  start: (options: { readonly host: string; readonly port: number }) => Promise<Server>,
): Promise<Server> {
  try {
    return await start({ host, port });
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    const problem =
      code === 'EADDRINUSE'
        ? `Port ${port} is in use. Choose another with --port, or 0 for any free port.`
        : `Cannot listen at ${hostInUrl(host)}:${port}: ${message}`;
    throw new Error(problem, { cause: error });
  }
}
