import { type State, text } from './control-client.js';
import { Action, Value } from './parts.js';

/** The settings of a program that calls this fake, at the address by which the page was opened. */
export function ProgramSettings({ state, region }: { state: State; region: string }) {
  const [workspace] = state.records[region]?.workspaces ?? [];
  const { origin, hostname } = window.location;
  const isLocal = hostname === 'localhost' || hostname.startsWith('127.') || hostname === '[::1]';
  const lines = [
    `AGENT_PLATFORM_REGION=${region}`,
    `AGENT_PLATFORM_TOKEN=${text(workspace?.secret ?? '')}`,
    `AGENT_PLATFORM_BASE_URL_EU=${origin}/eu`,
    `AGENT_PLATFORM_BASE_URL_NA=${origin}/na`,
    ...(isLocal ? [] : ['AGENT_PLATFORM_ALLOW_INSECURE_BASE_URL=true']),
    `WORKSPACE_SECRET=${text(workspace?.secret ?? '')}`,
  ].join('\n');
  return (
    <section aria-label="Settings">
      <h2>Settings</h2>
      <Value name=".env" value={lines} />
      <Action label="Copy settings" act={() => copy(lines)} />
      <p class="note">
        The OpenAPI document of the service: <a href="/openapi.json">/openapi.json</a>.
      </p>
    </section>
  );
}

/** Browsers keep the clipboard from pages of other machines that come by plain http: there, the user copies. */
async function copy(lines: string): Promise<string> {
  // Its type says that it is always there.
  const clipboard = navigator.clipboard as Clipboard | undefined;
  if (clipboard !== undefined) {
    await clipboard.writeText(lines);
    return 'Copied.';
  }
  const shown = document.querySelector('section pre');
  if (shown !== null) window.getSelection()?.selectAllChildren(shown);
  return 'Selected: copy it with Ctrl+C.';
}
