import { isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { AgentPlatform } from '../client/platform.js';
import { AgentPlatformError, ApiError, ResponseValidationError } from '../errors/index.js';
import { formatIssues } from '../ground/issues.js';
import { isLoopback } from '../ground/loopback.js';
import { REGIONS, type Region } from '../ground/regions.js';
import type { Drift } from '../validation/drift.js';
import type { Finding, Report } from './doctor-finding.js';
import type { Terminal } from './terminal.js';

/** Milliseconds for which an address may take to show its certificate. */
const TLS_TIMEOUT = 10_000;

/** Checks the settings of the environment, the way to the service, and its answer. */
export async function checkService(terminal: Terminal, otherRegion: boolean, report: Report): Promise<void> {
  const { looking, tell } = report;
  const drift: Drift[] = [];
  const platform = connect(terminal, (found) => drift.push(found), report);
  if (platform === undefined) return;
  const { AGENT_PLATFORM_TOKEN: token = '' } = terminal.env;
  tell({ check: 'region', result: 'ok', detail: `${platform.region}, by AGENT_PLATFORM_REGION` });
  tell({
    check: 'token',
    result: 'ok',
    detail: `${token.trim().length} characters, by AGENT_PLATFORM_TOKEN`,
  });
  const variable = `AGENT_PLATFORM_BASE_URL_${platform.region.toUpperCase()}`;
  tell({ check: 'address', result: 'ok', detail: `${platform.baseUrl}, by ${variable}` });
  await checkEncryption(new URL(platform.baseUrl), report);
  looking(`GET /tools/defaults at ${platform.baseUrl}`);
  const start = performance.now();
  try {
    const tools = await platform.tools.listDefaults();
    const duration = Math.round(performance.now() - start);
    const answered = `GET /tools/defaults answered in ${duration} ms: ${tools.length} tools`;
    tell({ check: 'service', result: 'ok', detail: answered });
  } catch (error) {
    tell({ check: 'service', result: 'fail', detail: wordsFor(error) });
    if (isRefusal(error)) await checkOtherRegion(platform, terminal, otherRegion, report);
  }
  for (const { issues } of drift) {
    const detail = `answers depart from the specification of this version${formatIssues(issues)}`;
    tell({ check: 'drift', result: 'warn', detail });
  }
}

/** The client by the environment's settings, or undefined where one of them is wrong. */
function connect(
  { env }: Terminal,
  onDrift: (drift: Drift) => unknown,
  { tell }: Report,
): AgentPlatform | undefined {
  try {
    return new AgentPlatform({
      // Checked by the client, which names what is wrong.
      region: env.AGENT_PLATFORM_REGION as 'eu' | 'na' | undefined,
      token: env.AGENT_PLATFORM_TOKEN,
      baseUrls: { eu: env.AGENT_PLATFORM_BASE_URL_EU, na: env.AGENT_PLATFORM_BASE_URL_NA },
      maxRetries: 0,
      logLevel: 'off',
      hooks: { onDrift },
    });
  } catch (error) {
    tell({ check: 'settings', result: 'fail', detail: wordsFor(error) });
    return undefined;
  }
}

/** Tells whether the token goes out encrypted, and to a server that proves its name. */
async function checkEncryption({ protocol, hostname, port }: URL, report: Report): Promise<void> {
  const tell = (result: Finding['result'], detail: string): void =>
    report.tell({ check: 'tls', result, detail });
  if (protocol === 'http:') {
    if (isLoopback(hostname)) return tell('ok', 'none: plain http:, which stays on this machine');
    return tell(
      'warn',
      'none: the token goes out unencrypted, by AGENT_PLATFORM_ALLOW_INSECURE_BASE_URL. For a fake alone',
    );
  }
  report.looking(`the certificate of ${hostname}`);
  const { words, code } = await shakeHands(hostname.replace(/^\[|\]$/g, ''), Number(port || 443));
  if (code === undefined) return tell('ok', words);
  const problem = tlsProblem(code);
  // Any other failure is told by the call of the service.
  if (problem !== undefined) tell('fail', `${problem} (${code})`);
}

/** The protocol that the two sides agreed on, or the code of the error that ended it. */
function shakeHands(host: string, port: number): Promise<{ words: string; code?: string }> {
  return new Promise((resolve) => {
    // A name goes along, so that the server shows the certificate of that name; an address must not.
    const socket = connectTls({ host, port, ...(isIP(host) === 0 && { servername: host }) }, () => {
      const { valid_to: until } = socket.getPeerCertificate();
      const words = `${socket.getProtocol()}, certificate valid until ${until}`;
      // By an environment that tells Node to accept any certificate.
      const code = socket.authorized ? {} : { code: 'NODE_TLS_REJECT_UNAUTHORIZED' };
      resolve({ words, ...code });
      socket.destroy();
    });
    const end = (code: string): void => {
      resolve({ words: '', code });
      socket.destroy();
    };
    socket.once('error', ({ code = '' }: NodeJS.ErrnoException) => end(code));
    socket.setTimeout(TLS_TIMEOUT, () => end('ETIMEDOUT'));
  });
}

/** The codes that Node and OpenSSL give to failures of TLS, in words. */
function tlsProblem(code: string): string | undefined {
  if (code === 'NODE_TLS_REJECT_UNAUTHORIZED') return 'any certificate is accepted: unset this variable';
  if (code === 'CERT_HAS_EXPIRED') return 'the certificate has expired';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'the certificate is that of another host';
  if (/CERT|ISSUER|SIGNATURE/.test(code)) {
    return 'the certificate is signed by nobody whom this machine trusts; that of a proxy of your own is trusted by NODE_EXTRA_CA_CERTS';
  }
  if (/^ERR_(TLS|SSL)_|^EPROTO$/.test(code))
    return 'what answers there speaks no TLS that this machine speaks';
  return undefined;
}

const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 401 || error.status === 403);

function wordsFor(error: unknown): string {
  if (!(error instanceof AgentPlatformError)) return String(error);
  if (isRefusal(error)) {
    return `${error.message}
The token was refused: it is of the other region, was rotated, or is of the wrong kind, an agent secret where a
workspace secret is expected (specification, 5.1 and 5.2).`;
  }
  if (error instanceof ApiError && error.status === 404) {
    return `${error.message}\nIs the address right? Paths are appended to it, after /v3.`;
  }
  return error.message;
}

async function checkOtherRegion(
  platform: AgentPlatform,
  { env }: Terminal,
  isAllowed: boolean,
  { looking, tell }: Report,
): Promise<void> {
  const region = REGIONS.find((one) => one !== platform.region) ?? platform.region;
  const name = `AGENT_PLATFORM_BASE_URL_${region.toUpperCase()}`;
  if (!isAllowed || (env[name] ?? '').trim() === '') {
    const need = isAllowed ? `set ${name}` : 'give --other-region';
    tell({ check: 'region', result: 'warn', detail: `the token was not tried in ${region}: ${need}` });
    return;
  }
  looking(`GET /tools/defaults in ${region}`);
  const listing = async () =>
    platform.withOptions({ region, token: env.AGENT_PLATFORM_TOKEN }).tools.listDefaults();
  tell({ check: 'region', ...(await outcomeIn(region, listing)) });
}

/** Tells what became of the token in the other region. */
async function outcomeIn(region: Region, listing: () => Promise<unknown>): Promise<Omit<Finding, 'check'>> {
  const valid: Omit<Finding, 'check'> = {
    result: 'fail',
    detail: `the token is valid in ${region}: set AGENT_PLATFORM_REGION=${region}`,
  };
  try {
    await listing();
    return valid;
  } catch (error) {
    // Who answers with a success has taken the token, whatever the answer holds.
    if (error instanceof ResponseValidationError) return valid;
    const [problem = ''] = (error as Error).message.split('\n');
    const outcome = isRefusal(error)
      ? `${region} does not accept it either`
      : `the token could not be tried in ${region}`;
    return { result: 'warn', detail: `${outcome}: ${problem}` };
  }
}
