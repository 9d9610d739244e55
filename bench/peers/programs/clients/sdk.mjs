import { AgentPlatform } from 'agent-platform-sdk';

export function connect(baseUrl, fetch) {
  const platform = new AgentPlatform({
    region: 'eu',
    token: 'bench-token',
    baseUrls: { eu: baseUrl },
    fetch,
  });
  return () => platform.tools.get('tool_1');
}
