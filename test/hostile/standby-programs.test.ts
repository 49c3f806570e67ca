// Programs in standby mode that misbehave: their callers get an error or a reply that breaks off, and the server lives.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { script } from '../actor-sources.ts';
import { createStandby } from '../conformance/actors/standby/calls.ts';
import { eventually, inTime } from '../eventually.ts';
import { ADMIN_TOKEN, startServer, type TestServer } from '../server.ts';
import { BEHAVIOUR_NAMES, BEHAVIOURS_SOURCE, type BehaviourName } from './hostile-peer.ts';

/** Plays the behaviour that the path names; `/open` tells how many other connections there are. */
const PROGRAM = script(`
const { createServer } = await import('node:net');
const behaviours = ${BEHAVIOURS_SOURCE};
const sockets = new Set();
createServer({ allowHalfOpen: true }, (socket) => {
  sockets.add(socket);
  socket.on('error', () => {}).on('close', () => sockets.delete(socket)).on('end', () => socket.end());
  let head = '';
  const read = (chunk) => {
    head += chunk.toString('latin1');
    if (!head.includes('\\r\\n\\r\\n')) return;
    socket.off('data', read);
    socket.resume();
    const play = behaviours[decodeURIComponent(head.split(' ')[1].slice(1))];
    const others = String(sockets.size - 1);
    if (play) play(socket);
    else socket.end('HTTP/1.1 200 OK\\r\\nconnection: close\\r\\ncontent-length: ' + others.length + '\\r\\n\\r\\n' + others);
  };
  socket.on('data', read);
}).listen(Number(env.ACTOR_STANDBY_PORT), '127.0.0.1');
`);

let server: TestServer;
let path: string;
before(async () => {
  server = await startServer({ limits: 'off' });
  const actor = await createStandby(server, {}, { files: PROGRAM });
  path = `/standby/${actor['id']}`;
  assert.equal((await server.call(`${path}/open`)).status, 200);
});
after(() => inTime(server.stop()));

/** The whole reply, as it came. */
async function ask(
  behaviour: BehaviourName,
  lines: readonly string[] = ['connection: close'],
): Promise<string> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1').on('error', () => {});
  let text = '';
  socket.setEncoding('latin1').on('data', (part: string) => (text += part));
  const head = [
    `GET ${path}/${encodeURIComponent(behaviour)} HTTP/1.1`,
    'host: localhost',
    `authorization: Bearer ${ADMIN_TOKEN}`,
    ...lines,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  await inTime(once(socket, 'close'), `the end of the reply of a program that ${behaviour}`);
  return text;
}

async function noneIsLeft(): Promise<void> {
  await eventually(async () => (await server.call(`${path}/open`)).text === '0', 'no connection is left');
}

/** Once its head has come, a reply that breaks off can only break off for the client, too. */
const BROKEN: BehaviourName[] = [
  'closes after the head',
  'resets after the head',
  'closes in the body',
  'resets in the body',
  'sends a chunk that is none',
  'closes in a chunk',
];
const PASSED: BehaviourName[] = ['answers with status 999', 'lies about gzip'];

for (const behaviour of BEHAVIOUR_NAMES) {
  test(`a request to a program that ${behaviour}`, async () => {
    const reply = await ask(behaviour);
    if (PASSED.includes(behaviour)) assert.match(reply, /^HTTP\/1\.1 (999|200) /);
    else if (BROKEN.includes(behaviour)) assert.doesNotMatch(reply, /\r\n0\r\n\r\n$/);
    else {
      assert.match(reply, /^HTTP\/1\.1 502 /);
      assert.match(
        reply,
        /"message": ?"The program of the run \w+ does not answer, or has ended\. See its log\."/,
      );
    }
    await noneIsLeft();
  });

  // Which is what it asks for.
  if (behaviour === 'switches protocols') continue;
  test(`a WebSocket to a program that ${behaviour}`, async () => {
    const reply = await ask(behaviour, [
      'connection: Upgrade',
      'upgrade: websocket',
      'sec-websocket-version: 13',
      'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
    ]);
    assert.match(reply, /^(HTTP\/1\.1 (101|200|502|999) |$)/);
    await noneIsLeft();
  });
}
