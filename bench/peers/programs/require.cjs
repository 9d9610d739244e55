const { module: name, subject } = JSON.parse(process.argv[2]);

const begun = performance.now();
require(name);
const value = performance.now() - begun;
console.log(JSON.stringify({ metric: 'import-cjs', subject, value }));
process.exit(0);
