// Exports as streams: backpressure, disconnects, and errors that never look like a complete export. Rule A8.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { after, before, test } from 'node:test';
import { eventually } from '../../../eventually.ts';
import { ADMIN_TOKEN, startServer, type TestServer } from '../../../server.ts';

const ITEMS = 200;
const FORMATS = ['json', 'jsonl', 'csv', 'xml', 'html', 'rss', 'xlsx'];

let server: TestServer;
let id: string;
/** How many pages of items were read from the database. */
let pages = 0;

before(async () => {
  server = await startServer({ limits: 'off' });
  const made = await server.call('/v2/datasets', { method: 'POST' });
  id = made.json['data'].id as string;
  // Noise, so that even a compressed export is large: 20 MB in pages of a quarter.
  for (let first = 0; first < ITEMS; first += 40) {
    const body = Array.from({ length: 40 }, (_, n) => ({ n: first + n, noise: noise(100_000) }));
    assert.equal((await server.call(`/v2/datasets/${id}/items`, { method: 'POST', body })).status, 201);
  }
  const { db } = server.app.kernel;
  const read = db.with.bind(db);
  db.with = ((...args: Parameters<typeof read>) => {
    pages += 1;
    return read(...args);
  }) as typeof db.with;
});
after(() => server.stop());

const noise = (length: number) => randomBytes((length / 4) * 3).toString('base64');

async function open(format: string, dataset = id): Promise<IncomingMessage> {
  const url = `${server.url}/v2/datasets/${dataset}/items?format=${format}`;
  const [response] = (await once(
    get(url, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` }, agent: false }),
    'response',
  )) as [IncomingMessage];
  return response;
}

/** Long enough for an export without backpressure to finish. */
async function letTimePass(): Promise<void> {
  for (let call = 0; call < 100; call += 1) await server.call('/v2/users/me');
}

for (const format of FORMATS) {
  test(`A8 an export as ${format} waits for its reader, and is given up when it leaves`, async () => {
    const all = await countPages(async () => {
      const response = await open(format);
      response.resume();
      await once(response, 'end');
    });
    assert.ok(all >= 50, String(all));
    let response: IncomingMessage;
    const waiting = await countPages(async () => {
      response = await open(format);
      await once(response, 'readable');
      await letTimePass();
    });
    assert.ok(waiting < all * 0.75, `${waiting} of ${all} pages were read for a reader who takes none`);
    const left = await countPages(async () => {
      response.destroy();
      await letTimePass();
    });
    assert.ok(left <= 4, `${left} pages were read for nobody`);
  });
}

async function countPages(work: () => Promise<void>): Promise<number> {
  const start = pages;
  await work();
  return pages - start;
}

test('A8 an export of a dataset that is deleted meanwhile breaks off', async () => {
  const { json } = await server.call('/v2/datasets', { method: 'POST' });
  const mine = json['data'].id as string;
  for (let n = 0; n < 10; n += 1) {
    const body = Array.from({ length: 40 }, () => ({ noise: noise(100_000) }));
    await server.call(`/v2/datasets/${mine}/items`, { method: 'POST', body });
  }
  const response = await open('json', mine);
  await once(response, 'readable');
  assert.equal((await server.call(`/v2/datasets/${mine}`, { method: 'DELETE' })).status, 204);
  const { db } = server.app.kernel;
  await eventually(async () => {
    const left = await db
      .selectFrom('dataset_chunks')
      .select('first_seq')
      .where('dataset_id', '=', mine)
      .limit(1)
      .execute();
    return left.length === 0;
  });
  response.resume();
  await assert.rejects(once(response, 'end'), { code: 'ECONNRESET' });
});

test('A8 lists that unwind to a hundred million items are sent as they come, until the reader leaves', async () => {
  const { json } = await server.call('/v2/datasets', { method: 'POST' });
  const dataset = json['data'].id as string;
  const list = Array.from({ length: 10_000 }, (_, at) => at);
  const body = { a: list, b: list };
  assert.equal((await server.call(`/v2/datasets/${dataset}/items`, { method: 'POST', body })).status, 201);
  const response = await open('json&unwind=a,b', dataset);
  await once(response, 'readable');
  assert.match(String(response.read(30)), /^\[\{"a":0,"b":0\},\n\{"a":0,"b":1\}/);
  response.destroy();
  assert.equal((await server.call(`/v2/datasets/${dataset}`)).status, 200);
  const table = await server.call(`/v2/datasets/${dataset}/items?format=csv&unwind=a,b&limit=1&fields=a`);
  assert.deepEqual([table.status, table.json['error'].type], [400, 'invalid-input']);
});
