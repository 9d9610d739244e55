// Answers every request with the same record. Ends when the harness does.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { task } from './measure.mjs';

const body = readFileSync(task.body);
const headers = { 'content-type': 'application/json', 'content-length': body.byteLength };
const server = createServer((_request, response) => response.writeHead(200, headers).end(body));
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send(`http://127.0.0.1:${server.address().port}`));
process.on('disconnect', () => process.exit(0));
