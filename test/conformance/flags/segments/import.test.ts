// Imports into big segments and exports to files, on a running server with each engine.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { onEachEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import { ADMIN_TOKEN, type Json, type TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { fileCalls, outcomeOf } from './file-calls.ts';

const DAY = 24 * 60 * 60 * 1000;

onEachEngine((engine) => {
  let server: TestServer;
  const { call, at, makeProject, post, read, remove, change, events, send, startExport, members, leftovers } =
    fileCalls(() => server);

  before(async () => {
    server = await startServerOn(engine, { limits: 'off', logLevel: 'warn' });
    await makeProject();
  });
  after(() => server.stop());

  let count = 0;
  let key = '';
  beforeEach(async () => {
    key = `big-${(count += 1)}`;
    await post({ key, name: 'Big', unbounded: true, unboundedContextKind: 'org' });
  });

  const load = async (...started: Parameters<typeof send>) => outcomeOf(server, await send(...started));
  const version = async () => (await read(key)).json['version'] as number;

  test('the keys of a file are included, and those who were there stay', async () => {
    await change(key, { included: { add: ['ada', 'bob'] }, excluded: { add: ['eve', 'mal'] } });
    const started = await send(key, 'ada\r\n"cai, c"\neve\n\n', { mode: 'merge' });
    assert.equal(started.text, '');
    assert.match(started.headers.get('location')!, new RegExp(`^/api/v2/${at(key)}/imports/[0-9a-f]{24}$`));
    const { id, creationTime, _links, ...shown } = await outcomeOf(server, started);
    assert.deepEqual(shown, {
      segmentKey: key,
      mode: 'merge',
      status: 'complete',
      files: [{ filename: 'keys.csv', status: 'complete' }],
      sizeBytes: 19,
      size: '19 B',
      keyCount: 3,
      processedCount: 3,
      changedCount: 2,
      removedCount: 0,
    });
    assert.ok(Math.abs(creationTime - Date.now()) < 60_000);
    assert.deepEqual(_links, {
      self: { href: `/api/v2/${at(key)}/imports/${id}`, type: 'application/json' },
      parent: { href: `/api/v2/${at(key)}`, type: 'application/json' },
    });
    assert.deepEqual(await members(key), {
      ada: 'included',
      bob: 'included',
      'cai, c': 'included',
      eve: 'included',
      mal: 'excluded',
    });
    assert.equal((await read(key)).json['_importInProgress'], false);
    await eventually(async () => (await leftovers()).length === 0);
  });

  test('one change of the segment tells of the whole import', async () => {
    const keys = Array.from({ length: 12_000 }, (_, index) => `org-${index}`);
    assert.equal((await load(key, keys.join('\n')))['changedCount'], 12_000);
    assert.equal(await version(), 2);
    const [, entry, ...more] = await events(key);
    assert.deepEqual(more, []);
    const accesses = (JSON.parse(entry!.accesses!) as Json[]).map(({ action }) => action as string);
    assert.deepEqual(accesses, ['updateIncluded', 'updateExcluded']);
    const { verb, description, who } = JSON.parse(entry!.detail!) as Json;
    assert.deepEqual(
      [verb, who.member.email],
      ['imported a file into the segment', 'admin@signalbox.example'],
    );
    assert.match(description as string, /12000 keys of `keys.csv` by merge/);
  });

  test('an import that finds all as it is changes nothing', async () => {
    await change(key, { included: { add: ['ada'] } });
    for (const mode of ['merge', 'replace'])
      assert.deepEqual((await load(key, 'ada\nada\n', { mode }))['changedCount'], 0);
    assert.equal(await version(), 2);
    assert.equal((await events(key)).length, 2);
  });

  test('in the end of one that replaces all, the members are those of the file', async () => {
    const all = Array.from({ length: 14_000 }, (_, index) => `org-${index}`);
    const included = (keys: string[]) => Object.fromEntries(keys.map((each) => [each, 'included']));
    for (const keys of [all.slice(0, 11_000), all.slice(4000), ['org-0'], all.slice(2000, 8000)]) {
      await change(key, { excluded: { add: ['not-in-it', 'zzz'] } });
      const { status, removedCount } = await load(key, keys.join('\n'), { mode: 'replace' });
      assert.equal(status, 'complete');
      assert.ok(removedCount >= 2);
      assert.deepEqual(await members(key), included(keys));
    }
  });

  test('what did not change does not protect from the next one', async () => {
    for (const keys of [['a'], ['a'], ['b'], ['b'], ['a', 'b'], ['a']]) {
      assert.equal((await load(key, keys.join('\n'), { mode: 'replace' }))['status'], 'complete');
      assert.deepEqual(Object.keys(await members(key)), keys);
    }
  });

  test('a file with a wrong line is not taken in, and the line is named', async () => {
    await change(key, { included: { add: ['ada'] } });
    const good = Array.from({ length: 6000 }, (_, index) => `k${index}\n`).join('');
    for (const [text, message] of [
      [`${good}\n,x\n`, /^Line 6002 has no key/],
      [`${good}${'x'.repeat(513)}`, /^Line 6001 has a key of more than 512 characters/],
      [`${good}${'x'.repeat(300_000)}\n`, /^Line 6001 has more than 16384 bytes/],
      [`a\n"b`, /^Line 2 has a quote/],
      ['a\0b', /^Line 1 has a key with a NUL/],
      ['key,targetType\na,maybe', /^Line 2 must say/],
      ['\n \r\n', /^The file has no keys/],
      ['key,targetType\n', /^The file has no keys/],
    ] as const) {
      const shown = await load(key, text, { mode: 'replace' });
      assert.deepEqual([shown['status'], shown['files'][0].status], ['stopped', 'stopped']);
      assert.match(shown['message'] as string, message);
      assert.deepEqual([shown['processedCount'], shown['changedCount']], [0, 0]);
    }
    const notText = await load(key, new Uint8Array([0x61, 0x0a, 0xff, 0xfe]));
    assert.match(notText['message'] as string, /^Line 2 is not UTF-8/);
    assert.deepEqual([await members(key), await version()], [{ ada: 'included' }, 2]);
    assert.equal((await read(key)).json['_importInProgress'], false);
    await eventually(async () => (await leftovers()).length === 0);
  });

  test('of imports that begin together one goes, and the others are told', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, (_, index) => send(key, `k${index}\n`)));
    const gone = answers.filter(({ status }) => status === 204);
    for (const { status, json } of answers.filter((answer) => !gone.includes(answer)))
      assert.deepEqual([status, json['code']], [409, 'optimistic_locking_error']);
    assert.ok(gone.length > 0);
    for (const started of gone) assert.equal((await outcomeOf(server, started))['status'], 'complete');
    assert.equal(Object.keys(await members(key)).length, gone.length);
    assert.equal(await version(), 1 + gone.length);
    await eventually(async () => (await leftovers()).length === 0);
  });

  describe('exports', () => {
    const loadFile = async (shown: Json) => {
      assert.deepEqual(shown['_links'].file.type, 'text/csv');
      return await server.call(shown['_links'].file.href as string);
    };

    test('a file has a line for each, and its address when it is complete', async () => {
      const keys = Array.from({ length: 11_000 }, (_, index) => `org-${String(index).padStart(5, '0')}`);
      await load(key, keys.toReversed().join('\n'));
      const started = await startExport(key);
      assert.deepEqual([started.status, started.json['status']], [200, 'in_progress']);
      assert.equal(started.json['_links'].self.href, started.headers.get('location'));
      assert.match(started.headers.get('location')!, new RegExp(`^/api/v2/${at(key)}/exports/[0-9a-f]{24}$`));
      const shown = await outcomeOf(server, started);
      const { id, creationTime, _links, ...rest } = shown;
      assert.deepEqual(rest, {
        segmentKey: key,
        status: 'complete',
        sizeBytes: 110_000,
        size: '110 KB',
        initiator: { email: 'admin@signalbox.example' },
      });
      assert.ok(creationTime > 0 && _links.self.href.endsWith(`/exports/${id}`));
      const file = await loadFile(shown);
      assert.equal(file.text, keys.map((each) => `${each}\n`).join(''));
      assert.deepEqual(
        ['content-type', 'content-length', 'content-disposition', 'content-security-policy'].map((name) =>
          file.headers.get(name),
        ),
        ['text/csv; charset=utf-8', '110000', `attachment; filename="${key}.csv"`, 'sandbox allow-scripts'],
      );
      const head = await server.call(_links.file.href as string, { method: 'HEAD' });
      assert.deepEqual([head.status, head.headers.get('content-length'), head.text], [200, '110000', '']);
    });

    test('an empty segment is an empty file', async () => {
      const shown = await outcomeOf(server, await startExport(key));
      assert.deepEqual([shown['sizeBytes'], (await loadFile(shown)).text], [0, '']);
    });

    test('what was exported comes back by an import, whatever the keys', async () => {
      const add = ['a,b', '"', ' space ', 'line\nbreak', 'key', 'ü😀', 'x'.repeat(512), '\uFEFFbom', "';--"];
      await change(key, { included: { add }, excluded: { add: ['out', 'key,targetType'] } });
      const file = await loadFile(await outcomeOf(server, await startExport(key)));
      await post({ key: `${key}-copy`, name: 'Copy', unbounded: true });
      await change(`${key}-copy`, { included: { add: ['out', 'other'] } });
      assert.equal((await load(`${key}-copy`, file.text, { mode: 'replace' }))['status'], 'complete');
      assert.deepEqual(await members(`${key}-copy`), await members(key));
      assert.equal((await members(key))['out'], 'excluded');
    });

    test('one export at a time; the newest files are kept, for a day', async () => {
      const answers = await Promise.all(Array.from({ length: 4 }, () => startExport(key)));
      const made: Json[] = [];
      for (const answer of answers) {
        assert.ok(answer.status === 200 || answer.status === 409, answer.text);
        if (answer.status === 200) made.push(await outcomeOf(server, answer));
      }
      while (made.length < 12) made.push(await outcomeOf(server, await startExport(key)));
      const states = async () =>
        Promise.all(made.map(async ({ _links }) => (await server.call(_links.self.href)).status));
      const expected = made.map((_, index) => (index < 2 ? 404 : 200));
      await eventually(async () => JSON.stringify(await states()) === JSON.stringify(expected));
      server.clock.ahead += DAY + 1000;
      assert.equal((await load(key, 'someone'))['status'], 'complete'); // wakes the workers
      await eventually(async () => (await states()).every((status) => status === 404));
      await eventually(async () => (await leftovers()).length === 0);
      assert.equal((await server.call(made.at(-1)!['_links'].file.href as string)).status, 404);
    });
  });

  test('with its segment an import ends, and nothing is left of it', async () => {
    const keys = Array.from({ length: 30_000 }, (_, index) => `org-${index}\n`).join('');
    const started = await send(key, keys);
    assert.equal((await remove(key)).status, 204);
    assert.equal((await server.call(started.headers.get('location')!)).status, 404);
    await eventually(async () => (await leftovers()).length === 0);
    await post({ key, name: 'Anew', unbounded: true });
    assert.deepEqual(await members(key), {});
    assert.equal((await server.call(started.headers.get('location')!)).status, 404);
  });

  test('with its project, too', async () => {
    await call('projects', { method: 'POST', body: { key: 'doomed', name: 'Doomed' } });
    await call('segments/doomed/test', { method: 'POST', body: { key: 'big', name: 'B', unbounded: true } });
    const form = new FormData();
    form.set('file', new Blob(['a\nb']));
    const started = await fetch(`${server.url}/api/v2/segments/doomed/test/big/imports`, {
      method: 'POST',
      headers: { authorization: ADMIN_TOKEN },
      body: form,
    });
    assert.equal(started.status, 204);
    assert.equal((await call('projects/doomed', { method: 'DELETE' })).status, 204);
    await eventually(async () => (await leftovers()).length === 0);
    assert.deepEqual(
      server.log.filter(({ level }) => Number(level) >= 50),
      [],
    );
  });
});
