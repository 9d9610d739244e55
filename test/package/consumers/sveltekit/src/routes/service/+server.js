import { AgentPlatform } from 'agent-platform-sdk';

let platform;

export async function GET() {
  platform ??= new AgentPlatform({ logLevel: 'off', maxRetries: 0 });
  return Response.json(await platform.tools.get('tool_eu_1'));
}
