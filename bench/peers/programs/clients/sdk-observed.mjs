import { AgentPlatform } from 'agent-platform-sdk';
import { callHooks, logging, subscribe } from '../observers.mjs';

export function connect(baseUrl, fetch) {
  subscribe();
  const platform = new AgentPlatform({
    region: 'eu',
    token: 'bench-token',
    baseUrls: { eu: baseUrl },
    fetch,
    hooks: callHooks,
    ...logging,
  });
  return () => platform.tools.get('tool_1');
}
