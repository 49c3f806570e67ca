// A large file goes into a big segment and comes out of it in little memory.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ADMIN_TOKEN, startServer, type TestServer } from '../server.ts';
import { fileCalls, outcomeOf } from './flags-segments-file-calls.ts';

const KEYS = 100_000;
/** So long that the file is far larger than what may be in memory. */
const TAIL = 'x'.repeat(200);
const MOST_BYTES = 10_000_000;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** What is alive. Buffers that the first collection found to be garbage are counted until the second. */
function usedBytes(): number {
  collectGarbage();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const keyOf = (index: number) => `${String(index).padStart(6, '0')}${TAIL}`;

function* lines(): Generator<string> {
  for (let start = 0; start < KEYS; start += 500)
    yield Array.from({ length: 500 }, (_, index) => `${keyOf(start + index)}\n`).join('');
}

function* form(): Generator<string> {
  yield '--x\r\ncontent-disposition: form-data; name="file"; filename="k.csv"\r\n\r\n';
  yield* lines();
  yield '\r\n--x\r\ncontent-disposition: form-data; name="mode"\r\n\r\nreplace\r\n--x--';
}

async function upload(server: TestServer, path: string): Promise<string> {
  const headers = { authorization: ADMIN_TOKEN, 'content-type': 'multipart/form-data; boundary=x' };
  const outgoing = request(`${server.url}/api/v2/${path}`, { method: 'POST', headers });
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
  await pipeline(Readable.from(form()), outgoing);
  const [{ statusCode, headers: told }] = await answered;
  assert.equal(statusCode, 204);
  return told.location!;
}

test(`memory stays flat while ${KEYS} keys go in and come out`, async (t) => {
  const server = await startServer({ limits: 'off', logLevel: 'warn' });
  t.after(() => server.stop());
  const { at, makeProject, post, read, send, startExport } = fileCalls(() => server);
  await makeProject();
  await post({ key: 'big', name: 'Big', unbounded: true });
  await outcomeOf(server, await send('big', 'gone\n'));
  const { _links } = await outcomeOf(server, await startExport('big'));
  await server.call(_links.file.href);

  const before = usedBytes();
  let highest = before;
  let looks = 0;
  const look = () => {
    highest = Math.max(highest, usedBytes());
    looks += 1;
  };
  const watching = setInterval(look, 200);
  t.after(() => clearInterval(watching));

  const untilComplete = async (location: string) => {
    for (;;) {
      const { json } = await server.call(location);
      if (json['status'] === 'complete') return json;
      assert.notEqual(json['status'], 'stopped', json['message']);
      await delay(20);
    }
  };
  const imported = await untilComplete(await upload(server, `${at('big')}/imports`));
  assert.deepEqual([imported['changedCount'], imported['removedCount']], [KEYS, 1]);
  const { includedCount } = (await read('big')).json['_unboundedMetadata'];
  assert.equal(includedCount, KEYS);

  const exported = await untilComplete((await startExport('big')).headers.get('location')!);
  const file = await fetch(server.url + exported['_links'].file.href, {
    headers: { authorization: ADMIN_TOKEN },
  });
  const hash = createHash('sha1');
  for await (const piece of file.body!) hash.update(piece as Uint8Array);
  const expected = createHash('sha1');
  for (const some of lines()) expected.update(some);
  assert.equal(hash.digest('hex'), expected.digest('hex'));

  assert.ok(looks > 3, String(looks));
  assert.ok(exported['sizeBytes'] > 2 * MOST_BYTES);
  assert.ok(highest - before < MOST_BYTES, `rose by ${highest - before} bytes`);
});
