// Two thousand idle streams: what they cost in memory, and calls meanwhile.
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { eventually } from '../../../eventually.ts';
import { usedBytes } from '../../../memory.ts';
import { startServer } from '../../../server.ts';
import { openProject, seenBy } from './keys-calls.ts';

const STREAMS = 2000;
const FIRST = 100;
/** Of both ends together, which are in this process, with the log line of the call. */
const MOST_BYTES = 32 * 1024;

test(`${STREAMS} idle streams hold little memory, and flags are evaluated meanwhile`, async (t) => {
  const server = await startServer({ limits: 'off', streamsPerAddress: 2 * STREAMS });
  t.after(() => server.stop());
  const home = await openProject(server);
  await home.flags.make('shown', seenBy(false, true));
  const sockets: Socket[] = [];
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  let ready = 0;
  const { hostname, port } = new URL(server.url);
  /** In batches, which fit into the queue of connections that the system holds for a slow server. */
  const open = async (count: number) => {
    for (let left = count; left > 0; left -= FIRST) {
      const wanted = ready + Math.min(left, FIRST);
      while (sockets.length < wanted) {
        const socket = connect(Number(port), hostname);
        socket.once('data', () => (ready += 1)).resume();
        socket.write(`GET /all HTTP/1.1\r\nhost: test\r\nauthorization: ${home.keys.sdk}\r\n\r\n`);
        sockets.push(socket);
      }
      await eventually(() => ready === wanted, `${wanted} streams`);
    }
  };

  await open(FIRST);
  const before = usedBytes();
  await open(STREAMS - FIRST);
  const { sdkStreams } = server.app.kernel.services;
  assert.equal(sdkStreams.size, STREAMS);
  const each = (usedBytes() - before) / (STREAMS - FIRST);
  assert.ok(each <= MOST_BYTES, `${Math.round(each)} bytes for each stream`);
  assert.equal(typeof (await home.evaluate()).shown.value, 'boolean');

  for (const socket of sockets.splice(0)) socket.destroy();
  await eventually(() => sdkStreams.size === 0, 'the end of all streams');
});
