// A large file is imported into a big segment and exported in little memory.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { test } from 'node:test';
import { eventually } from '../../../eventually.ts';
import { usedBytes } from '../../../memory.ts';
import { ADMIN_TOKEN, startServer, type Json, type TestServer } from '../../../server.ts';
import { fileCalls, outcomeOf } from './file-calls.ts';

const KEYS = 50_000;
/** The keys are so long that the file is far larger than the memory limit. */
const TAIL = 'x'.repeat(440);
const MOST_BYTES = 10_000_000;

const keyOf = (index: number) => `${String(index).padStart(6, '0')}${TAIL}`;

function* lines(): Generator<string> {
  for (let start = 0; start < KEYS; start += 500)
    yield Array.from({ length: 500 }, (_, index) => `${keyOf(start + index)}\n`).join('');
}

function* form(look: () => void): Generator<string> {
  yield '--x\r\ncontent-disposition: form-data; name="file"; filename="k.csv"\r\n\r\n';
  let count = 0;
  for (const some of lines()) {
    if (count++ % 25 === 0) look();
    yield some;
  }
  yield '\r\n--x\r\ncontent-disposition: form-data; name="mode"\r\n\r\nreplace\r\n--x--';
}

async function upload(server: TestServer, path: string, look: () => void): Promise<string> {
  const headers = { authorization: ADMIN_TOKEN, 'content-type': 'multipart/form-data; boundary=x' };
  const outgoing = request(`${server.url}/api/v2/${path}`, { method: 'POST', headers });
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
  await pipeline(Readable.from(form(look)), outgoing);
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
  const look = () => {
    highest = Math.max(highest, usedBytes());
  };
  const untilComplete = async (location: string) => {
    let shown: Json = {};
    let lookAt = 0;
    await eventually(async () => {
      shown = (await server.call(location)).json;
      if (shown['processedCount'] >= lookAt) {
        look();
        lookAt = shown['processedCount'] + KEYS / 4;
      }
      assert.notEqual(shown['status'], 'stopped', shown['message']);
      return shown['status'] === 'complete';
    });
    return shown;
  };
  const imported = await untilComplete(await upload(server, `${at('big')}/imports`, look));
  assert.deepEqual([imported['changedCount'], imported['removedCount']], [KEYS, 1]);
  const { includedCount } = (await read('big')).json['_unboundedMetadata'];
  assert.equal(includedCount, KEYS);

  const exported = await untilComplete((await startExport('big')).headers.get('location')!);
  const file = await fetch(server.url + exported['_links'].file.href, {
    headers: { authorization: ADMIN_TOKEN },
  });
  const hash = createHash('sha1');
  let received = 0;
  for await (const piece of file.body! as AsyncIterable<Uint8Array>) {
    hash.update(piece);
    received += piece.length;
    if (received < 5_000_000) continue;
    received = 0;
    look();
  }
  const expected = createHash('sha1');
  for (const some of lines()) expected.update(some);
  assert.equal(hash.digest('hex'), expected.digest('hex'));

  assert.ok(exported['sizeBytes'] > 2 * MOST_BYTES);
  assert.ok(highest - before < MOST_BYTES, `rose by ${highest - before} bytes`);
});
