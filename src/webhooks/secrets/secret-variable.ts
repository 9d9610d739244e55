/** The environment variable that replaces `secret`: one workspace secret, or several separated by commas. */
export const SECRET_VARIABLE = 'AGENT_PLATFORM_WEBHOOK_SECRET';

/** Splits the value of {@link SECRET_VARIABLE} into its secrets. */
export function splitSecrets(value = ''): string[] {
  return value
    .split(',')
    .map((secret) => secret.trim())
    .filter((secret) => secret !== '');
}
