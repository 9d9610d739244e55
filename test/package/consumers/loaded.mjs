import { AgentPlatform } from 'agent-platform-sdk';

const loaded = process.moduleLoadList.filter((name) => /crypto|\bhttps?\b|\btls\b|\bzlib\b/.test(name));

console.log(JSON.stringify({ name: AgentPlatform.name, loaded }));
