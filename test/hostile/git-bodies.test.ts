// Clients of git whose bodies lie, break off or never come: the server lives, and those that are still there hear why.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { eventually, inTime } from '../eventually.ts';
import { joinHost, type HostPerson } from '../host-people.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../git-tests.ts';
import { startServer, type TestServer } from '../server.ts';

const ZEROS = Buffer.alloc(50);
/** A flush packet, and nothing after it. */
const REQUEST = gzipSync('0000');
const CUT_SHORT = gzipSync(Buffer.alloc(10_000, '0032want ')).subarray(0, 40);
const WRONG_SUM = Buffer.concat([REQUEST.subarray(0, -8), Buffer.alloc(8, 1)]);

let server: TestServer;
let ada: HostPerson;
let held: Socket[] = [];
before(async () => {
  server = await startServer({ limits: 'off' });
  ada = await joinHost(server, 'ada');
  await ada.repository('project');
});
after(async () => {
  await inTime(server.stop());
});

interface Posted {
  service?: 'git-upload-pack' | 'git-receive-pack';
  encoding?: string;
  /** Longer than what is sent, where more seems to follow. */
  length?: number;
}

/** Sends the head of a request, and what there is of its body. */
async function post(
  body: Uint8Array,
  { service = 'git-upload-pack', encoding = 'gzip', length = body.length }: Posted = {},
): Promise<Socket> {
  const { port } = new URL(server.url);
  const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
  await once(socket, 'connect');
  const token = Buffer.from(`x:${ada.token}`).toString('base64');
  const lines = [
    `POST /ada/project/${service} HTTP/1.1`,
    'host: localhost',
    `content-type: application/x-${service}-request`,
    `content-encoding: ${encoding}`,
    `content-length: ${length}`,
    'connection: close',
    ...(service === 'git-receive-pack' ? [`authorization: Basic ${token}`] : []),
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  socket.write(body);
  return socket;
}

/** The whole reply; nothing where the connection was just closed. */
async function replyTo(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('utf8').on('data', (part: string) => (text += part));
  await inTime(once(socket, 'close'), 'the end of the reply');
  return text;
}

const load = () => server.app.kernel.services.packs.load;

async function isHealthy(): Promise<void> {
  for (const socket of held.splice(0)) socket.destroy();
  await eventually(() => load().used === 0 && load().waiting === 0, 'no transfer goes on');
  assert.equal((await server.call('/repos/ada/project', { token: null })).status, 200);
}

/** Clients that send nothing more, of whom at least one waits for another to end: of the same caller, who has a share only. */
async function holdSlots(service: NonNullable<Posted['service']>): Promise<void> {
  const plain = { service, encoding: 'identity', length: 1000 };
  for (let count = 0; count <= 2 * availableParallelism(); count += 1)
    held.push(await post(Buffer.from('0032'), plain));
  await eventually(
    () => load().waiting > 0 && load().used + load().waiting === held.length,
    'a transfer waits',
  );
}

for (const service of ['git-upload-pack', 'git-receive-pack'] as const) {
  const bodies = { 'is no gzip': ZEROS, 'ends too early': CUT_SHORT, 'has a wrong checksum': WRONG_SUM };
  for (const [what, body] of Object.entries(bodies))
    test(`${service}: a body that ${what} is refused in a sentence`, async () => {
      const reply = await replyTo(await post(body, { service }));
      assert.match(reply, /^HTTP\/1\.1 400 .*\r\n\r\nThe body of the request is not valid gzip\.\n$/s);
      await isHealthy();
    });

  test(`${service}: a body that is no gzip, while all slots are taken, is refused when its turn comes`, async () => {
    await holdSlots(service);
    const waiting = load().waiting;
    const socket = await post(ZEROS, { service });
    await eventually(() => load().waiting > waiting, 'it waits');
    const reply = replyTo(socket);
    await isHealthy();
    assert.match(await reply, /^HTTP\/1\.1 400 .*\r\n\r\nThe body of the request is not valid gzip\.\n$/s);
  });

  test(`${service}: a client that leaves while it waits, in whichever way, is forgotten`, async () => {
    await holdSlots(service);
    const queued = load().waiting;
    const sent = { service, length: 1000 };
    const leaving = [await post(REQUEST, sent), await post(ZEROS, sent), await post(Buffer.alloc(0), sent)];
    await eventually(() => load().waiting === queued + 3, 'they wait');
    leaving[0]!.resetAndDestroy();
    leaving[1]!.resetAndDestroy();
    leaving[2]!.end();
    await eventually(() => load().waiting === queued, 'they are forgotten');
    await isHealthy();
  });

  test(`${service}: a client that leaves in the middle of its body ends its process`, async () => {
    const sent = { service, length: 1000 };
    for (const leave of ['resetAndDestroy', 'end'] as const) {
      for (const body of [REQUEST, Buffer.alloc(0)]) {
        const socket = await post(body, sent);
        await eventually(() => load().used === 1, 'its transfer');
        socket[leave]();
        await isHealthy();
      }
    }
  });
}

test('a head without end, and one in an unknown encoding, are refused', async () => {
  assert.match(await replyTo(await post(ZEROS, { encoding: 'br' })), /^HTTP\/1\.1 415 /);
  const endless = connect(Number(new URL(server.url).port), '127.0.0.1').on('error', () => {});
  endless.write('POST /ada/project/git-upload-pack HTTP/1.1\r\nhost: x\r\n');
  for (let count = 0; count < 1000 && !endless.destroyed; count += 1)
    endless.write(`x-${count}: ${'x'.repeat(200)}\r\n`);
  assert.match(await replyTo(endless), /^(HTTP\/1\.1 431 |$)/);
  await isHealthy();
});
