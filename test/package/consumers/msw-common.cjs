const { createFakePlatform } = require('agent-platform-sdk/testing');
const { fakeHandlers } = require('agent-platform-sdk/testing/msw');

console.log(JSON.stringify({ handlers: Array.isArray(fakeHandlers(createFakePlatform())) }));
