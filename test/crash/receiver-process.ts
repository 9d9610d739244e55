import { createServer } from 'node:http';
import { createWebhookReceiver } from 'agent-platform-sdk';
import { openInbox, readSettings } from './settings.js';

const { redisPort, secret, port } = readSettings();
const receiver = createWebhookReceiver({ secret, inbox: openInbox(redisPort), logLevel: 'off' });
createServer(receiver.node).listen(port, '127.0.0.1');
