import { AgentPlatform } from 'agent-platform-sdk';

export function connect(baseUrl) {
  const baseUrls = { eu: baseUrl };
  const platform = new AgentPlatform({ region: 'eu', token: 'bench-token', baseUrls, validation: 'off' });
  return () => platform.tools.get('tool_1');
}
