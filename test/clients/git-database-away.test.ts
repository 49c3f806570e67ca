// Requests of git while the database is away, and afterwards.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { onEngine } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { fixedPort } from '../fixed-port.ts';
import { joinHost } from '../host-people.ts';
import { gitTest as test } from '../git-tests.ts';
import { startServer } from '../server.ts';
import { GitClient, gitUrl } from './git-client.ts';

/** A way to a database that can be cut. */
async function openWay(database: string): Promise<{ url: string; cut(): void; mend(): Promise<void> }> {
  const target = new URL(database);
  const sockets = new Set<Socket>();
  const begin = () =>
    createServer((socket) => {
      const far = connect(Number(target.port), target.hostname);
      for (const end of [socket, far]) {
        sockets.add(end);
        end.on('error', () => {}).once('close', () => sockets.delete(end));
      }
      socket.pipe(far).pipe(socket);
    });
  const port = await fixedPort();
  let way: Server = begin().listen(port, '127.0.0.1');
  await once(way, 'listening');
  const url = new URL(database);
  url.port = String(port);
  return {
    url: url.href,
    cut() {
      way.close();
      for (const socket of sockets) socket.destroy();
    },
    async mend() {
      way = begin().listen(port, '127.0.0.1');
      await once(way, 'listening');
    },
  };
}

onEngine('postgres', (engine) => {
  test('while the database is away, requests of git are answered 503 with a time to come again', async () => {
    const way = await openWay(await engine.migratedDatabase());
    const server = await startServer({ database: way.url, limits: 'off' });
    const ada = await joinHost(server, 'ada');
    const ben = await joinHost(server, 'ben');
    await ada.repository('shop', { auto_init: true });
    const gist = await ada.post('/gists', { public: true, files: { 'a.txt': { content: 'a' } } });
    assert.equal((await ada.get('/user')).status, 200);
    // What is known of credentials would be forgotten after a while.
    server.clock.stop();
    way.cut();
    const shop = '/ada/shop.git';
    const calls = [
      ['GET', `${shop}/info/refs?service=git-upload-pack`, null],
      ['GET', `${shop}/info/refs?service=git-upload-pack`, ada.token],
      ['GET', `${shop}/info/refs?service=git-receive-pack`, ada.token],
      ['GET', `${shop}/info/refs?service=git-receive-pack`, 'a-token-that-nobody-has'],
      ['GET', `${shop}/info/refs`, null],
      ['POST', `${shop}/git-upload-pack`, null],
      ['POST', `${shop}/git-receive-pack`, ben.token],
      ['GET', `/gist/${gist.json['id']}/info/refs?service=git-upload-pack`, null],
      ['POST', `/gist/${gist.json['id']}/git-receive-pack`, ada.token],
      ['GET', '/repos/ada/shop/branches', ada.token],
    ] as const;
    for (const [method, path, token] of calls) {
      const { status, headers, text } = await server.call(path, { method, token });
      const told = `${method} ${path} as ${token}`;
      assert.deepEqual([status, Number(headers.get('retry-after')) >= 1], [503, true], `${told}: ${text}`);
      assert.match(text, /The database does not answer; try again later\./, told);
    }
    const one = new GitClient();
    const { code, stderr } = await one.try('', ['clone', gitUrl(server, ada.token, 'ada/shop'), 'away']);
    assert.notEqual(code, 0);
    assert.match(stderr, /remote: The database does not answer; try again later\./);
    await way.mend();
    await eventually(async () => {
      const ready = await one.try('', ['ls-remote', gitUrl(server, ada.token, 'ada/shop')]);
      return ready.code === 0;
    });
    await server.stop();
    way.cut();
  });
});
