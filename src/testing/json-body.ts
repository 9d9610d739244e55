import { formatPath, type Issue } from '../ground/issues.js';

/** Whether a request says that its body is JSON. */
export function isJson(request: Request): boolean {
  return /^application\/json\b/i.test(request.headers.get('content-type') ?? '');
}

/** What is wrong with a body, a line for each place. */
export function issueLines(issues: readonly Issue[]): readonly string[] {
  return issues.map(({ path, message }) => `${formatPath(path)}: ${message}`);
}
