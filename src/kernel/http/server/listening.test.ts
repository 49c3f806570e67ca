// How the server listens: on both loopback addresses, on the same port, and how long it waits for the head of a request.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer as createNetServer, type Server, type Socket } from 'node:net';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect as connectEncrypted } from 'node:tls';
import { writeCertificate } from '../../../../test/certificate.ts';
import { inTime } from '../../../../test/eventually.ts';
import { fixedPort } from '../../../../test/fixed-port.ts';
import { listenOn } from './listen.ts';
import { closeServer, createServer } from './server.ts';

const hasIpv6 = Object.values(networkInterfaces()).some((list) =>
  list?.some(({ address }) => address === '::1'),
);
const options = { skip: hasIpv6 ? false : 'no IPv6 loopback address on this machine' };

function openApp(headersMs?: number) {
  const app = createServer(headersMs === undefined ? {} : { headersMs });
  app.get('/where', (request) => ({ address: request.socket.localAddress, host: request.headers.host }));
  return app;
}

async function ask(host: string, port: number): Promise<string> {
  const socket = connect(port, host);
  socket.end('GET /where HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  return await readAll(socket);
}

async function readAll(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('utf8').on('data', (part: string) => (text += part));
  await inTime(once(socket, 'close'), 'the end of the connection');
  return text;
}

async function occupy(host: string, port: number): Promise<Server> {
  const server = createNetServer((socket) => socket.destroy()).listen(port, host);
  await once(server, 'listening');
  return server;
}

const portOf = (url: string) => Number(new URL(url).port);

for (const host of ['127.0.0.1', 'localhost', '0.0.0.0', '::1', '::']) {
  test(`on ${host} both loopback addresses answer, and another program gets neither`, options, async () => {
    const app = openApp();
    const port = portOf(await listenOn(app, { host, port: 0 }));
    for (const address of ['127.0.0.1', '::1']) {
      assert.match(await ask(address, port), /^HTTP\/1\.1 200 /, address);
      await assert.rejects(occupy(address, port), { code: 'EADDRINUSE' }, address);
    }
    await closeServer(app);
    for (const address of ['127.0.0.1', '::1']) (await occupy(address, port)).close();
  });
}

test('a port that another program holds on one of them is not used', options, async () => {
  for (const held of ['127.0.0.1', '::1']) {
    const port = await fixedPort();
    const other = await occupy(held, port);
    const app = openApp();
    const refused = listenOn(app, { host: '127.0.0.1', port });
    await assert.rejects(refused, {
      message: new RegExp(`^Port ${port} on ${held} is used by .*--port\\.$`),
    });
    const said: unknown[] = [];
    const url = await listenOn(
      app,
      { host: '127.0.0.1', port },
      { warn: (words: unknown) => said.push(words) },
    );
    assert.ok(portOf(url) > port, 'the next one is, where it may');
    assert.match(await ask('127.0.0.1', portOf(url)), /^HTTP\/1\.1 200 /);
    assert.match(await ask('::1', portOf(url)), /^HTTP\/1\.1 200 /);
    other.close();
    await closeServer(app);
  }
});

test('an error of a listening socket is logged, and the server goes on', options, async () => {
  const said: { err: Error }[] = [];
  const app = createServer({ log: { error: (line: { err: Error }) => void said.push(line) } });
  const port = await fixedPort();
  const other = await occupy('127.0.0.1', port);
  await assert.rejects(listenOn(app, { host: '127.0.0.1', port }));
  assert.deepEqual(said, [], 'one that ends the start is reported by that');
  other.close();
  await listenOn(app, { host: '127.0.0.1', port: 0 });
  // What Node says when a connection cannot be accepted.
  const errors = [new Error('accept ENOBUFS'), new Error('accept ENOMEM')];
  app.server.emit('error', errors[0]);
  app.twins[0]!.emit('error', errors[1]);
  assert.deepEqual(
    said.map(({ err }) => err),
    errors,
  );
  await closeServer(app);
});

test('both speak TLS where the server does', options, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-listening-'));
  const { tlsCert, tlsKey } = writeCertificate(folder);
  const tls = { cert: readFileSync(tlsCert, 'utf8'), key: readFileSync(tlsKey, 'utf8') };
  rmSync(folder, { recursive: true });
  const app = createServer({ tls });
  app.get('/where', () => ({}));
  const port = portOf(await listenOn(app, { host: '127.0.0.1', port: 0, tlsCert }));
  for (const host of ['127.0.0.1', '::1']) {
    const socket = connectEncrypted({ host, port, ca: tls.cert, servername: 'localhost' });
    socket.write('GET /where HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    assert.match(await readAll(socket), /^HTTP\/1\.1 200 /, host);
  }
  await closeServer(app);
});

test('a trusted proxy of this machine is trusted on both', options, async () => {
  const app = createServer({ trustProxy: ['127.0.0.1'] });
  app.get('/where', ({ ip }) => ({ ip }));
  const port = portOf(await listenOn(app, { host: '127.0.0.1', port: 0 }));
  for (const host of ['127.0.0.1', '[::1]']) {
    const headers = { 'x-forwarded-for': '192.0.2.7' };
    const reply = await fetch(`http://${host}:${port}/where`, { headers });
    assert.deepEqual(await reply.json(), { ip: '192.0.2.7' }, host);
  }
  await closeServer(app);
});

test('connections of both are closed with the server, and idle ones at once', options, async () => {
  const app = openApp();
  const port = portOf(await listenOn(app, { host: '127.0.0.1', port: 0 }));
  const sockets = ['127.0.0.1', '::1'].map((host) => connect(port, host));
  for (const socket of sockets) {
    socket.write('GET /where HTTP/1.1\r\nhost: x\r\n\r\n');
    await once(socket, 'data');
  }
  const ended = Promise.all(sockets.map(readAll));
  await inTime(closeServer(app), 'the end of the server');
  await ended;
});

test('a head that is half sent is refused when its time is over, on every address', options, async () => {
  const app = openApp(300);
  const port = portOf(await listenOn(app, { host: '127.0.0.1', port: 0 }));
  for (const host of ['127.0.0.1', '::1'])
    for (const sent of ['GET /where HTTP/1.1\r\nhost', 'GET', '']) {
      const socket = connect(port, host);
      socket.write(sent);
      const answer = await readAll(socket);
      assert.ok(answer === '' || answer.startsWith('HTTP/1.1 408 '), `${host} ${sent}: ${answer}`);
    }
  await closeServer(app);
});

test('Node looks for such heads often enough to keep the promised 15 seconds', () => {
  const { server } = createServer({});
  assert.equal(server.headersTimeout, 15_000);
  const intervalMs = (server as { connectionsCheckingInterval?: number }).connectionsCheckingInterval;
  assert.equal(intervalMs, 1000);
});
