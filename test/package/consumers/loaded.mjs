import 'agent-platform-sdk';

console.log(
  JSON.stringify(process.moduleLoadList.filter((name) => /crypto|\bhttps?\b|\btls\b|\bzlib\b/.test(name))),
);
