import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import { listenOnLoopback } from './loopback.js';
import { ownCertificate } from './own-certificate.js';
import { success } from './server.js';

/** Starts a service over TLS that accepts one client certificate, that of `credentials`. All calls succeed. */
export async function startCertifiedService() {
  const methods: string[] = [];
  const [service, client] = [ownCertificate(), ownCertificate()];
  const options = { ...service, ca: client.cert, requestCert: true };
  const server = createTlsServer(options, (request, response) => {
    methods.push(request.method ?? '');
    response.end(JSON.stringify(success({ id: 't1', key: 'k' })));
  });
  server.on('tlsClientError', () => undefined);
  const credentials = { ca: service.cert, ...client };
  return { url: `https://localhost:${await listenOnLoopback(server)}`, methods, credentials };
}

/** Starts a proxy that opens tunnels, on loopback only. */
export async function startProxy() {
  const tunnels: string[] = [];
  const server = createServer().on('connect', ({ url = '' }, socket: Socket) => {
    tunnels.push(url);
    const target = connect(Number(url.split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(target).pipe(socket);
    });
    socket.on('error', () => target.destroy());
    target.on('error', () => socket.destroy());
  });
  return { url: `http://127.0.0.1:${await listenOnLoopback(server)}`, tunnels };
}
