/** The secrets of the tests: no log line, error or console may show one of them. */
export const CANARIES: readonly string[] = [
  'workspace-secret-of-the-tests',
  'test-workspace-secret-0001',
  'canary-1f9d2c-of-this-test',
  // The fake's own, which every client of it sends.
  'fake-workspace-secret-of-',
  'fake-agent-secret-of-',
];

/** The canaries that a text holds. */
export function canariesIn(text: string): readonly string[] {
  return CANARIES.filter((canary) => text.includes(canary));
}
