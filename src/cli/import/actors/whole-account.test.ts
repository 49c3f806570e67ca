// A whole account moves from one server to another: once, again, and interrupted anywhere.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join as joinPath } from 'node:path';
import { before, describe, test } from 'node:test';
import { onEachEngine } from '../../../../test/engines.ts';
import { type TestServer } from '../../../../test/server.ts';
import { makeFolder } from '../../fixture.ts';
import {
  giveActor,
  giveItems,
  giveRecords,
  giveRequests,
  importActors,
  listItems,
  must,
  onTwoServers,
  post,
} from './fixture.ts';

onEachEngine((engine) => {
  const ends = onTwoServers(engine);

  describe('a whole account', () => {
    const ITEMS = 2500;
    const RECORDS = 30;
    const REQUESTS = 260;
    let tarballStore: string;
    before(async () => {
      await giveActor(ends.from, 'crawler', {
        defaultRunOptions: { memoryMbytes: 512, timeoutSecs: 60 },
        categories: ['NEWS'],
      });
      const { id } = await post(ends.from, '/actors', { name: 'packed' });
      ({ id: tarballStore } = (await post(ends.from, `/key-value-stores?name=actor-${id}-source`)) as {
        id: string;
      });
      await must(ends.from, `/key-value-stores/${tarballStore}/records/version-0.1.zip`, {
        method: 'PUT',
        body: Buffer.from('an archive'),
        headers: { 'content-type': 'application/zip' },
      });
      await post(ends.from, `/actors/${id}/versions`, {
        versionNumber: '0.1',
        sourceType: 'TARBALL',
        tarballUrl: `${ends.from.url}/v2/key-value-stores/${tarballStore}/records/version-0.1.zip?disableRedirect=true`,
      });
      await post(ends.from, '/actors', {
        name: 'cloned',
        versions: [
          { versionNumber: '1.0', sourceType: 'GIT_REPO', gitRepoUrl: 'https://git.example/repo.git#main' },
        ],
      });
      await giveItems(ends.from, 'shops', ITEMS);
      await giveRecords(ends.from, 'files', RECORDS);
      await giveRequests(ends.from, 'todo', REQUESTS);
      // Unnamed ones stay: they belong to runs.
      await post(ends.from, '/datasets');
    });

    test('arrives with its versions, variables, items, records and requests', async () => {
      const { code, summary } = await importActors(ends.from, ends.to, ends.data);
      assert.equal(code, 0);
      assert.equal(summary.counts.actors.created, 3);
      assert.deepEqual(summary.content, { items: ITEMS, records: RECORDS + 3, requests: REQUESTS });
      assert.deepEqual(
        summary.toDo.filter((line) => line.includes('secret')),
        [
          'Set the secret environment variable HIDDEN of the Actor crawler, version 0.1: its value cannot be read.',
        ],
      );

      const { data: crawler } = (await must(ends.to, '/actors/~crawler')).json;
      assert.deepEqual([crawler.title, crawler.categories], ['The crawler', ['NEWS']]);
      assert.deepEqual(
        [crawler.defaultRunOptions.memoryMbytes, crawler.defaultRunOptions.timeoutSecs],
        [512, 60],
      );
      assert.deepEqual(crawler.versions[0].envVars, [{ name: 'PLAIN', value: 'seen', isSecret: false }]);
      assert.equal(crawler.versions[0].sourceFiles[0].content, "console.log('crawler');");
      const { data: cloned } = (await must(ends.to, '/actors/~cloned')).json;
      assert.equal(cloned.versions[0].gitRepoUrl, 'https://git.example/repo.git#main');
      const { data: packed } = (await must(ends.to, '/actors/~packed')).json;
      const { pathname, origin } = new URL(packed.versions[0].tarballUrl as string);
      assert.equal(origin, ends.to.url);
      assert.equal((await ends.to.call(pathname)).text, 'an archive');
      await must(ends.to, `/key-value-stores/~actor-${packed.id}-source`);

      assert.deepEqual(
        (await listItems(ends.to, 'shops')).map(({ n }) => n),
        Array.from({ length: ITEMS }, (_, n) => n),
      );
      const record = (server: TestServer, key: string, headers = {}) =>
        must(server, `/key-value-stores/~files/records/${key}`, { headers });
      for (const key of ['page-0007', 'picture', 'page.html']) {
        const [there, here] = [await record(ends.from, key), await record(ends.to, key)];
        assert.equal(here.text, there.text);
        assert.equal(here.headers.get('content-type'), there.headers.get('content-type'));
      }
      const stored = await record(ends.to, 'page.html', { 'accept-encoding': 'br' });
      assert.equal(stored.headers.get('content-encoding'), 'br');

      const { data: queue } = (await must(ends.to, '/request-queues/~todo')).json;
      assert.deepEqual([queue.totalRequestCount, queue.handledRequestCount], [REQUESTS, REQUESTS / 2]);
      const heads = await Promise.all(
        [ends.from, ends.to].map((server) => must(server, '/request-queues/~todo/head?limit=200')),
      );
      const [there, here] = heads.map(
        ({ json }) => json.data.items.map(({ url }: { url: string }) => url) as string[],
      );
      assert.deepEqual(here, there);
      assert.equal((await must(ends.to, '/datasets?unnamed=1')).json.data.total, 1);
    });

    test('a second time changes nothing and says so, and reads the storages no more', async () => {
      await importActors(ends.from, ends.to, ends.data);
      const text = (await must(ends.to, '/actors/~crawler')).text;
      const source = await ends.front(ends.from);
      const target = await ends.front(ends.to);
      // Another address of the same server would be another import.
      const again = await importActors(ends.from, ends.to, ends.data);
      assert.equal(again.code, 0);
      assert.deepEqual(again.summary.content, { items: 0, records: 0, requests: 0 });
      for (const [kind, counts] of Object.entries(again.summary.counts)) {
        const { unchanged, ...others } = counts;
        assert.deepEqual(Object.values(others), [0, 0, 0, 0, 0], kind);
        assert.ok(unchanged > 0 || ['tasks', 'schedules', 'webhooks'].includes(kind), kind);
      }
      assert.match(again.err, /^Actor crawler: unchanged$/m);
      assert.equal((await must(ends.to, '/actors/~crawler')).text, text);

      // Without its notes, the same import compares everything, and writes nothing either.
      const anew = await importActors(source, target, makeFolder());
      assert.equal(anew.code, 0);
      assert.deepEqual(anew.summary.content, { items: 0, records: 0, requests: 0 });
      assert.deepEqual(
        target.calls.filter((call) => !/^(GET|HEAD) |\/requests\/batch/.test(call)),
        [],
      );
    });

    test('what the source has gained since is added', async () => {
      await importActors(ends.from, ends.to, ends.data, '--only', 'storages');
      await post(ends.from, '/datasets/~shops/items', [{ n: ITEMS }]);
      await must(ends.from, '/key-value-stores/~files/records/new', { method: 'PUT', body: 'new' });
      const { data: head } = (await must(ends.from, '/request-queues/~todo/head?limit=1')).json;
      await must(ends.from, `/request-queues/~todo/requests/${head.items[0].id}`, {
        method: 'PUT',
        body: { ...head.items[0], handledAt: new Date().toISOString() },
      });
      const { summary, err } = await importActors(ends.from, ends.to, ends.data, '--only', 'storages');
      assert.match(err, /^request queue todo: changed \(1 handled since\)$/m);
      assert.deepEqual(summary.content, { items: 1, records: 1, requests: 0 });
      assert.equal((await listItems(ends.to, 'shops')).length, ITEMS + 1);
      const { data: queue } = (await must(ends.to, '/request-queues/~todo')).json;
      assert.equal(queue.handledRequestCount, REQUESTS / 2 + 1);
    });

    test('a dry run changes nothing', async () => {
      const target = await ends.front(ends.to);
      const { code, summary, err } = await importActors(ends.from, target, ends.data, '--dry-run');
      assert.equal(code, 0);
      assert.equal(summary.counts.actors.created, 3);
      assert.ok(summary.content.items > ITEMS);
      assert.match(err, /^Actor crawler: would be created$/m);
      assert.deepEqual(
        target.calls.filter((call) => !call.startsWith('GET')),
        [],
      );
      assert.equal(existsSync(joinPath(ends.data, 'imports')), false);
    });

    test('interrupted anywhere, it goes on and has everything once', async () => {
      let left = 0;
      const source = await ends.front(ends.from, () => {
        left -= 1;
        // As Ctrl+C does.
        if (left === 0) process.emit('SIGINT');
        return undefined;
      });
      let attempts = 0;
      for (let allowed = 6; ; allowed += 5) {
        left = allowed;
        const { code, summary } = await importActors(source, ends.to, ends.data);
        if (code === 0) break;
        attempts += 1;
        assert.deepEqual([code, summary.stopped], [130, 'Interrupted. The same command goes on from here.']);
      }
      assert.ok(attempts > 3, `${attempts} attempts`);
      const numbers = (await listItems(ends.to, 'shops')).map(({ n }) => n);
      assert.deepEqual(
        numbers,
        numbers.map((_, index) => index),
      );
      assert.ok(numbers.length > ITEMS);
      const { data: queue } = (await must(ends.to, '/request-queues/~todo')).json;
      assert.equal(queue.totalRequestCount, REQUESTS);
      const { data: keys } = (await must(ends.to, '/key-value-stores/~files/keys')).json;
      assert.equal(keys.count, RECORDS + 3);
    });
  });
});
