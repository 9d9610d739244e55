import { createFakePlatform } from 'agent-platform-sdk/testing';
import { fakeHandlers } from 'agent-platform-sdk/testing/msw';

console.log(JSON.stringify({ handlers: Array.isArray(fakeHandlers(createFakePlatform())) }));
