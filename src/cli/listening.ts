import { ConfigurationError } from '../errors/index.js';

/** Describes why a server cannot listen. */
export function listenError(error: unknown, host: string, port: number): unknown {
  if (error instanceof ConfigurationError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  const problem =
    code === 'EADDRINUSE'
      ? `Port ${port} is in use. Choose another with --port, or 0 for any free port.`
      : `Cannot listen at ${host}:${port}: ${message}`;
  return new Error(problem, { cause: error });
}
