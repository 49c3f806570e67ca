// Lists of keys and archives of key-value stores, with each engine. Rules A10 and A31.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { gzipSync, inflateRawSync } from 'node:zlib';
import { onEachEngine } from '../../../engines.ts';
import { type TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { namesOf, recordCalls } from './records-calls.ts';

onEachEngine((engine) => {
  let server: TestServer;
  const { make, put, get, keys, at } = recordCalls(() => server);
  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
  });
  after(() => server.stop());

  test('A10 keys are listed in the order of their bytes, with sizes and addresses', async () => {
    const { id } = await make();
    const all = ['b', 'A', 'a', 'B', '_', '0', '-', '!', 'a.b', 'ab', 'a-b', "a'b", 'a(b)', 'Z'];
    for (const [size, key] of all.entries()) await put(id, key, 'x'.repeat(size));
    const list = await keys(id);
    assert.deepEqual(namesOf(list), all.toSorted());
    assert.deepEqual(
      [
        list['count'],
        list['limit'],
        list['isTruncated'],
        list['exclusiveStartKey'],
        list['nextExclusiveStartKey'],
      ],
      [14, 1000, false, null, null],
    );
    for (const { key, size, recordPublicUrl } of list['items'] as Record<string, string>[]) {
      assert.equal(size, all.indexOf(key!), key);
      const response = await fetch(recordPublicUrl!);
      assert.deepEqual([response.status, (await response.text()).length], [200, size], key);
    }
  });

  test('A10 pages of keys meet without gaps, and the last says that it is', async () => {
    const { id } = await make();
    const all = Array.from({ length: 25 }, (_, i) => `key-${String(i).padStart(2, '0')}`);
    await Promise.all(all.map((key) => put(id, key, key)));
    const seen: string[] = [];
    let query = '?limit=10';
    for (const expected of [10, 10, 5]) {
      const page = await keys(id, query);
      seen.push(...namesOf(page));
      assert.equal(page['count'], expected);
      assert.equal(page['isTruncated'], expected === 10);
      assert.equal(page['nextExclusiveStartKey'], expected === 10 ? seen.at(-1) : null);
      query = `?limit=10&exclusiveStartKey=${String(page['nextExclusiveStartKey'])}`;
    }
    assert.deepEqual(seen, all);
    assert.deepEqual(namesOf(await keys(id, '?limit=5&exclusiveStartKey=key-20')), all.slice(21));
    const [full, exact] = [await keys(id, '?limit=24'), await keys(id, '?limit=25')];
    assert.deepEqual([full['isTruncated'], exact['isTruncated']], [true, false]);
    assert.equal((await keys(id, '?limit=999999999999'))['limit'], 1000);
    assert.equal((await keys(id, '?limit=0'))['count'], 25);
    assert.deepEqual(namesOf(await keys(id, '?exclusiveStartKey=zzz')), []);
  });

  test('A10 keys are listed by prefix, and by the collections of the schema', async () => {
    const schema = {
      actorKeyValueStoreSchemaVersion: 1,
      title: 'Results',
      collections: {
        pictures: { title: 'Pictures', keyPrefix: 'pic-', contentTypes: ['image/png'] },
        summary: { title: 'Summary', key: 'SUMMARY' },
      },
    };
    const { id, schema: told } = await make('', {
      body: JSON.stringify({ schema }),
      headers: { 'content-type': 'application/json' },
    });
    assert.deepEqual(told, schema);
    for (const key of ['SUMMARY', 'pic-1', 'pic-12', 'pic-2', 'pie', 'SUMMARY2']) await put(id, key, key);
    const listed = async (query: string) => namesOf(await keys(id, query));
    assert.deepEqual(await listed('?prefix=pi'), ['pic-1', 'pic-12', 'pic-2', 'pie']);
    assert.deepEqual(await listed('?collection=pictures'), ['pic-1', 'pic-12', 'pic-2']);
    assert.deepEqual(await listed('?collection=pictures&prefix=pic-1'), ['pic-1', 'pic-12']);
    assert.deepEqual(await listed('?collection=pictures&prefix=pi&exclusiveStartKey=pic-1&limit=1'), [
      'pic-12',
    ]);
    assert.deepEqual(await listed('?collection=pictures&prefix=S'), []);
    assert.deepEqual(await listed('?collection=summary'), ['SUMMARY']);
    assert.deepEqual(await listed('?prefix=%25'), []);
    assert.deepEqual(await listed('?prefix=_'), []);
    for (const path of ['keys', 'records']) {
      for (const collection of ['unknown', 'constructor', '__proto__']) {
        const { status, json } = await at(`/${id}/${path}?collection=${collection}`);
        assert.deepEqual([status, json['error'].type], [400, 'invalid-collection'], collection);
      }
    }
    const other = await make();
    assert.equal((await at(`/${other['id']}/keys?collection=pictures`)).status, 400);
  });

  test('A10 a schema whose collections are none is refused', async () => {
    for (const collections of [
      5,
      null,
      'x',
      { a: {} },
      { a: null },
      { a: { key: 5 } },
      { a: { key: 'a', keyPrefix: 'b' } },
    ]) {
      const { status } = await at('', {
        method: 'POST',
        body: JSON.stringify({ schema: { collections } }),
        headers: { 'content-type': 'application/json' },
      });
      assert.equal(status, 400, JSON.stringify(collections));
    }
  });

  test('A10 all records come as an archive, each decoded under its key', async () => {
    const { id } = await make('?name=archived');
    const large = randomBytes(200_000);
    await put(id, 'plain.txt', 'plain');
    await put(id, 'packed.txt', gzipSync('packed'), { headers: { 'content-encoding': 'gzip' } });
    await put(id, 'large', large);
    await put(id, 'empty', '');
    for (let i = 0; i < 50; i += 1) await put(id, `many-${i}`, `${i}`);
    const { status, headers, body } = await at(`/${id}/records`);
    assert.equal(status, 200);
    assert.equal(headers['content-type'], 'application/zip');
    assert.equal(headers['content-disposition'], 'attachment; filename="archived.zip"');
    assert.equal(headers['content-security-policy'], 'sandbox allow-scripts');
    const files = unzip(body);
    assert.equal(files.size, 54);
    assert.equal(files.get('plain.txt')!.toString(), 'plain');
    assert.equal(files.get('packed.txt')!.toString(), 'packed');
    assert.equal(files.get('many-49')!.toString(), '49');
    assert.equal(files.get('empty')!.length, 0);
    assert.ok(files.get('large')!.equals(large));
    assert.deepEqual([...unzip((await at(`/${id}/records?prefix=pl`)).body).keys()], ['plain.txt']);
    const nothing = await make();
    assert.equal(unzip((await at(`/${nothing['id']}/records`)).body).size, 0);
  });

  test('A31 each store has a budget of its own for records and one for the rest', async () => {
    const small = await startServerOn(engine, {
      limit: {
        'actors.key_value_record': { known: 3, anonymous: 3, seconds: 60 },
        'actors.key_value_store': { known: 2, anonymous: 2, seconds: 60 },
      },
    });
    const calls = recordCalls(() => small);
    const [one, other] = [await calls.make(), await calls.make()];
    await calls.put(one['id'], 'a', 'a');
    await calls.get(one['id'], 'a');
    await calls.remove(one['id'], 'b');
    for (const answer of [
      await calls.put(one['id'], 'a', 'b'),
      await calls.get(one['id'], 'a'),
      await calls.remove(one['id'], 'a'),
    ]) {
      assert.deepEqual([answer.status, answer.json['error'].type], [429, 'rate-limit-exceeded']);
      assert.equal(answer.headers['x-ratelimit-limit'], '3');
      assert.match(answer.headers['retry-after'] as string, /^\d+$/);
    }
    assert.deepEqual(namesOf(await calls.keys(one['id'])), ['a']);
    await calls.keys(one['id']);
    assert.equal((await calls.at(`/${one['id']}/keys`)).status, 429);
    assert.equal((await calls.at(`/${one['id']}/records`)).status, 429);
    assert.equal((await calls.put(other['id'], 'a', 'a')).status, 201);
    small.clock.ahead += 61_000;
    assert.equal((await calls.get(one['id'], 'a')).body.toString(), 'a');
    await small.stop();
  });

  test('A31 limits that are off never refuse', async () => {
    const { id } = await make();
    await put(id, 'a', 'a');
    const answers = await Promise.all(Array.from({ length: 300 }, () => get(id, 'a')));
    assert.ok(answers.every(({ status }) => status === 200));
  });
});

/** Reads an archive by the directory at its end, as programs do. */
function unzip(bytes: Buffer): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  const end = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [packed, size] = [bytes.readUInt32LE(at + 20), bytes.readUInt32LE(at + 24)];
    const [name, extra, comment] = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset)) as [
      number,
      number,
      number,
    ];
    const local = bytes.readUInt32LE(at + 42);
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const content = inflateRawSync(bytes.subarray(start, start + packed));
    assert.equal(content.length, size);
    files.set(bytes.toString('utf8', at + 46, at + 46 + name), content);
    at += 46 + name + extra + comment;
  }
  return files;
}
