// The command `import actors`: from one server to another, interrupted, repeated, and against servers that misbehave.
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join as joinPath } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { onEachEngine } from '../../test/engines.ts';
import { giveToken, join } from '../../test/people.ts';
import { ADMIN_TOKEN, startServer, type TestServer } from '../../test/server.ts';
import { startServerOn } from '../../test/suites.ts';
import { makeFolder, run, start, startServer as startProcess } from './fixture.ts';
import {
  giveActor,
  giveItems,
  giveRecords,
  giveRequests,
  importActors,
  listItems,
  must,
  openFront,
  post,
  sourceFile,
  type Front,
  type Summary,
} from './import/fixture.ts';

onEachEngine((engine) => {
  let from: TestServer;
  let to: TestServer;
  let data: string;
  const fronts: Front[] = [];
  before(async () => {
    from = await startServerOn(engine, { limits: 'off' });
  });
  beforeEach(async () => {
    to = await startServerOn(engine, { limits: 'off' });
    data = makeFolder();
  });
  after(() => from.stop());
  afterEach(async () => {
    for (const opened of fronts.splice(0)) opened.close();
    await to.stop();
  });
  const front = async (...args: Parameters<typeof openFront>) => {
    const opened = await openFront(...args);
    fronts.push(opened);
    return opened;
  };

  describe('a whole account', () => {
    const ITEMS = 2500;
    const RECORDS = 30;
    const REQUESTS = 260;
    let tarballStore: string;
    before(async () => {
      await giveActor(from, 'crawler', {
        defaultRunOptions: { memoryMbytes: 512, timeoutSecs: 60 },
        categories: ['NEWS'],
      });
      const { id } = await post(from, '/actors', { name: 'packed' });
      ({ id: tarballStore } = (await post(from, `/key-value-stores?name=actor-${id}-source`)) as {
        id: string;
      });
      await must(from, `/key-value-stores/${tarballStore}/records/version-0.1.zip`, {
        method: 'PUT',
        body: Buffer.from('an archive'),
        headers: { 'content-type': 'application/zip' },
      });
      await post(from, `/actors/${id}/versions`, {
        versionNumber: '0.1',
        sourceType: 'TARBALL',
        tarballUrl: `${from.url}/v2/key-value-stores/${tarballStore}/records/version-0.1.zip?disableRedirect=true`,
      });
      await post(from, '/actors', {
        name: 'cloned',
        versions: [
          { versionNumber: '1.0', sourceType: 'GIT_REPO', gitRepoUrl: 'https://git.example/repo.git#main' },
        ],
      });
      await giveItems(from, 'shops', ITEMS);
      await giveRecords(from, 'files', RECORDS);
      await giveRequests(from, 'todo', REQUESTS);
      // Unnamed ones stay: they belong to runs.
      await post(from, '/datasets');
    });

    test('arrives with its versions, variables, items, records and requests', async () => {
      const { code, summary } = await importActors(from, to, data);
      assert.equal(code, 0);
      assert.equal(summary.counts.actors.created, 3);
      assert.deepEqual(summary.content, { items: ITEMS, records: RECORDS + 3, requests: REQUESTS });
      assert.deepEqual(
        summary.toDo.filter((line) => line.includes('secret')),
        [
          'Set the secret environment variable HIDDEN of the Actor crawler, version 0.1: its value cannot be read.',
        ],
      );

      const { data: crawler } = (await must(to, '/actors/~crawler')).json;
      assert.deepEqual([crawler.title, crawler.categories], ['The crawler', ['NEWS']]);
      assert.deepEqual(
        [crawler.defaultRunOptions.memoryMbytes, crawler.defaultRunOptions.timeoutSecs],
        [512, 60],
      );
      assert.deepEqual(crawler.versions[0].envVars, [{ name: 'PLAIN', value: 'seen', isSecret: false }]);
      assert.equal(crawler.versions[0].sourceFiles[0].content, "console.log('crawler');");
      const { data: cloned } = (await must(to, '/actors/~cloned')).json;
      assert.equal(cloned.versions[0].gitRepoUrl, 'https://git.example/repo.git#main');
      const { data: packed } = (await must(to, '/actors/~packed')).json;
      const { pathname, origin } = new URL(packed.versions[0].tarballUrl as string);
      assert.equal(origin, to.url);
      assert.equal((await to.call(pathname)).text, 'an archive');
      await must(to, `/key-value-stores/~actor-${packed.id}-source`);

      assert.deepEqual(
        (await listItems(to, 'shops')).map(({ n }) => n),
        Array.from({ length: ITEMS }, (_, n) => n),
      );
      const record = (server: TestServer, key: string, headers = {}) =>
        must(server, `/key-value-stores/~files/records/${key}`, { headers });
      for (const key of ['page-0007', 'picture', 'page.html']) {
        const [there, here] = [await record(from, key), await record(to, key)];
        assert.equal(here.text, there.text);
        assert.equal(here.headers.get('content-type'), there.headers.get('content-type'));
      }
      const stored = await record(to, 'page.html', { 'accept-encoding': 'br' });
      assert.equal(stored.headers.get('content-encoding'), 'br');

      const { data: queue } = (await must(to, '/request-queues/~todo')).json;
      assert.deepEqual([queue.totalRequestCount, queue.handledRequestCount], [REQUESTS, REQUESTS / 2]);
      const heads = await Promise.all(
        [from, to].map((server) => must(server, '/request-queues/~todo/head?limit=200')),
      );
      const [there, here] = heads.map(
        ({ json }) => json.data.items.map(({ url }: { url: string }) => url) as string[],
      );
      assert.deepEqual(here, there);
      assert.equal((await must(to, '/datasets?unnamed=1')).json.data.total, 1);
    });

    test('a second time changes nothing and says so, and reads the storages no more', async () => {
      await importActors(from, to, data);
      const text = (await must(to, '/actors/~crawler')).text;
      const source = await front(from);
      const target = await front(to);
      // Another address of the same server would be another import.
      const again = await importActors(from, to, data);
      assert.equal(again.code, 0);
      assert.deepEqual(again.summary.content, { items: 0, records: 0, requests: 0 });
      for (const [kind, counts] of Object.entries(again.summary.counts)) {
        const { unchanged, ...others } = counts;
        assert.deepEqual(Object.values(others), [0, 0, 0, 0, 0], kind);
        assert.ok(unchanged > 0 || ['tasks', 'schedules', 'webhooks'].includes(kind), kind);
      }
      assert.match(again.err, /^Actor crawler: unchanged$/m);
      assert.equal((await must(to, '/actors/~crawler')).text, text);

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
      await importActors(from, to, data, '--only', 'storages');
      await post(from, '/datasets/~shops/items', [{ n: ITEMS }]);
      await must(from, '/key-value-stores/~files/records/new', { method: 'PUT', body: 'new' });
      const { data: head } = (await must(from, '/request-queues/~todo/head?limit=1')).json;
      await must(from, `/request-queues/~todo/requests/${head.items[0].id}`, {
        method: 'PUT',
        body: { ...head.items[0], handledAt: new Date().toISOString() },
      });
      const { summary, err } = await importActors(from, to, data, '--only', 'storages');
      assert.match(err, /^request queue todo: changed \(1 handled since\)$/m);
      assert.deepEqual(summary.content, { items: 1, records: 1, requests: 0 });
      assert.equal((await listItems(to, 'shops')).length, ITEMS + 1);
      const { data: queue } = (await must(to, '/request-queues/~todo')).json;
      assert.equal(queue.handledRequestCount, REQUESTS / 2 + 1);
    });

    test('a dry run changes nothing', async () => {
      const target = await front(to);
      const { code, summary, err } = await importActors(from, target, data, '--dry-run');
      assert.equal(code, 0);
      assert.equal(summary.counts.actors.created, 3);
      assert.ok(summary.content.items > ITEMS);
      assert.match(err, /^Actor crawler: would be created$/m);
      assert.deepEqual(
        target.calls.filter((call) => !call.startsWith('GET')),
        [],
      );
      assert.equal(existsSync(joinPath(data, 'imports')), false);
    });

    test('interrupted anywhere, it goes on and has everything once', async () => {
      let left = 0;
      const source = await front(from, () => {
        left -= 1;
        // As Ctrl+C does.
        if (left === 0) process.emit('SIGINT');
        return undefined;
      });
      let attempts = 0;
      for (let allowed = 6; ; allowed += 5) {
        left = allowed;
        const { code, summary } = await importActors(source, to, data);
        if (code === 0) break;
        attempts += 1;
        assert.deepEqual([code, summary.stopped], [130, 'Interrupted. The same command goes on from here.']);
      }
      assert.ok(attempts > 3, `${attempts} attempts`);
      const numbers = (await listItems(to, 'shops')).map(({ n }) => n);
      assert.deepEqual(
        numbers,
        numbers.map((_, index) => index),
      );
      assert.ok(numbers.length > ITEMS);
      const { data: queue } = (await must(to, '/request-queues/~todo')).json;
      assert.equal(queue.totalRequestCount, REQUESTS);
      const { data: keys } = (await must(to, '/key-value-stores/~files/keys')).json;
      assert.equal(keys.count, RECORDS + 3);
    });
  });

  describe('what is there already', () => {
    test('is kept and reported where it differs, and replaced with --overwrite', async () => {
      await giveActor(from, 'twin');
      await giveRecords(from, 'notes', 1);
      await giveItems(from, 'numbers', 3);
      await giveActor(to, 'twin', { title: 'Mine' });
      await post(to, '/key-value-stores?name=notes');
      await must(to, '/key-value-stores/~notes/records/page-0000', { method: 'PUT', body: '"mine"' });
      await must(to, '/key-value-stores/~notes/records/own', { method: 'PUT', body: '"mine"' });
      await post(to, '/datasets?name=numbers');
      await post(to, '/datasets/~numbers/items', [{ n: 'mine' }]);
      const first = await importActors(from, to, data);
      assert.equal(first.code, 1);
      const reasons = (summary: Summary) =>
        summary.things
          .filter(({ outcome }) => outcome === 'kept')
          .map(({ name, reason }) => `${name}: ${reason}`);
      assert.deepEqual(reasons(first.summary), [
        'twin: differs in title',
        'notes: 2 records; differs in page-0000',
        'numbers: has other items than the source',
      ]);
      assert.equal((await must(to, '/actors/~twin')).json.data.title, 'Mine');
      assert.equal((await must(to, '/key-value-stores/~notes/records/page-0000')).text, '"mine"');

      const second = await importActors(from, to, data, '--overwrite');
      // Items cannot be replaced.
      assert.deepEqual(reasons(second.summary), ['numbers: has other items than the source']);
      assert.equal((await must(to, '/actors/~twin')).json.data.title, 'The twin');
      assert.equal((await must(to, '/key-value-stores/~notes/records/page-0000')).text, '{"index":0}');
      assert.equal((await must(to, '/key-value-stores/~notes/records/own')).text, '"mine"');
      assert.deepEqual(await listItems(to, 'numbers'), [{ n: 'mine' }]);
    });

    test('gets the versions and variables that it lacks, and its secrets stay', async () => {
      const id = await giveActor(from, 'grown');
      await importActors(from, to, data, '--only', 'actors');
      const there = `/actors/~grown/versions/0.1/env-vars`;
      await post(to, there, { name: 'HIDDEN', value: 'set by hand', isSecret: true });
      await post(from, `/actors/${id}/versions/0.1/env-vars`, { name: 'LATER', value: '1' });
      await post(from, `/actors/${id}/versions`, {
        versionNumber: '0.2',
        sourceType: 'SOURCE_FILES',
        sourceFiles: [sourceFile('main.js', '2')],
      });
      const { summary, err } = await importActors(from, to, data, '--only', 'actors');
      assert.match(err, /^Actor grown: changed \(version 0\.1 \(LATER\), version 0\.2\)$/m);
      assert.doesNotMatch(summary.toDo.join(), /grown, version 0\.1/);
      const { data: grown } = (await must(to, '/actors/~grown')).json;
      assert.deepEqual(
        grown.versions[0].envVars.map(({ name }: { name: string }) => name),
        ['PLAIN', 'HIDDEN', 'LATER'],
      );
    });

    test('a dataset that has gone on by itself is left alone', async () => {
      await giveItems(from, 'growing', 5);
      await importActors(from, to, data, '--only', 'datasets');
      await post(to, '/datasets/~growing/items', [{ n: 'mine' }]);
      const { summary } = await importActors(from, to, makeFolder(), '--only', 'datasets');
      assert.equal(summary.counts.datasets.created, 0);
      assert.equal((await listItems(to, 'growing')).length, 6);
    });
  });

  describe('tasks', () => {
    test('come with their options and input, for Actors that are here', async () => {
      const actId = await giveActor(from, 'worker', { isPublic: true });
      const options = { memoryMbytes: 256, timeoutSecs: 30 };
      await post(from, '/actor-tasks', {
        actId,
        name: 'nightly',
        options,
        input: { depth: 2, key: 'ENCRYPTED_VALUE:abc:def' },
      });
      // An Actor of somebody else.
      const member = await join(from, 'other', { role: 'writer' });
      const token = (await giveToken(from, member, { role: 'writer' })).value;
      const { data: foreign } = (
        await must(from, '/actors', { method: 'POST', token, body: { name: 'foreign', isPublic: true } })
      ).json;
      await post(from, '/actor-tasks', { actId: foreign.id, name: 'of-others' });

      const { code, summary } = await importActors(from, to, data, '--only', 'actors,tasks');
      assert.equal(code, 0);
      assert.deepEqual(
        summary.things.filter(({ kind }) => kind === 'tasks'),
        [
          {
            kind: 'tasks',
            name: 'of-others',
            outcome: 'skipped',
            reason: `its Actor other/foreign is not on ${new URL(to.url).host}`,
          },
        ],
      );
      assert.ok(
        summary.toDo.includes('Set key in the input of the task nightly: secret fields cannot be read.'),
      );
      const { data: task } = (await must(to, '/actor-tasks/~nightly')).json;
      const { data: actor } = (await must(to, '/actors/~worker')).json;
      assert.deepEqual([task.actId, task.input, task.options.memoryMbytes], [actor.id, { depth: 2 }, 256]);

      // With a secret that was set here, nothing differs.
      await must(to, '/actor-tasks/~nightly', { method: 'PUT', body: { input: { depth: 2, key: 'mine' } } });
      const again = await importActors(from, to, data, '--only', 'tasks');
      assert.equal(again.summary.counts.tasks.unchanged, 1);
      assert.doesNotMatch(again.summary.toDo.join(), /nightly/);
      await must(to, '/actor-tasks/~nightly', { method: 'PUT', body: { input: { depth: 3 } } });
      const third = await importActors(from, to, data, '--only', 'tasks');
      assert.match(third.err, /^task nightly: kept \(differs in input\)$/m);
    });
  });

  describe('schedules and webhooks', () => {
    test('come switched off, with the Actors and tasks of this server, and on with --enable', async () => {
      const actorId = await giveActor(from, 'timed');
      const { id: actorTaskId } = await post(from, '/actor-tasks', { actId: actorId, name: 'timed-task' });
      const runInput = { body: '{"depth":1}', contentType: 'application/json' };
      await post(from, '/schedules', {
        name: 'mornings',
        cronExpression: '0 6 * * *',
        timezone: 'Europe/Prague',
        isEnabled: true,
        actions: [
          { type: 'RUN_ACTOR', actorId, runInput, runOptions: { memoryMbytes: 256 } },
          { type: 'RUN_ACTOR_TASK', actorTaskId, input: { depth: 2 } },
        ],
      });
      const eventTypes = ['ACTOR.RUN.SUCCEEDED'];
      const hook = await post(from, '/webhooks', {
        eventTypes,
        condition: { actorId },
        requestUrl: 'https://hooks.example/secret-path?key=secret',
        payloadTemplate: '{"id":{{resource.id}}}',
      });
      const chain = await post(from, '/webhooks', {
        eventTypes,
        condition: { actorTaskId },
        requestUrl: `${from.url}/v2/acts/${actorId}/runs?memory=256&token=${ADMIN_TOKEN}`,
      });

      const { code, summary, err } = await importActors(
        from,
        to,
        data,
        '--only',
        'actors,tasks,schedules,webhooks',
      );
      assert.equal(code, 0);
      assert.doesNotMatch(err + JSON.stringify(summary), /secret-path/);
      const { data: actor } = (await must(to, '/actors/~timed')).json;
      const { data: task } = (await must(to, '/actor-tasks/~timed-task')).json;
      const scheduleOf = async () => {
        const { items } = (await must(to, '/schedules')).json.data;
        return (await must(to, `/schedules/${items[0].id}`)).json.data;
      };
      const schedule = await scheduleOf();
      assert.deepEqual(
        [schedule.name, schedule.cronExpression, schedule.timezone, schedule.isEnabled],
        ['mornings', '0 6 * * *', 'Europe/Prague', false],
      );
      assert.deepEqual([schedule.actions[0].actorId, schedule.actions[0].runInput], [actor.id, runInput]);
      assert.deepEqual([schedule.actions[1].actorTaskId, schedule.actions[1].input], [task.id, { depth: 2 }]);
      const webhooksOf = async () =>
        (await must(to, '/webhooks')).json.data.items as Record<string, unknown>[];
      const [first, second] = await webhooksOf();
      assert.deepEqual(
        [first!['requestUrl'], first!['condition'], first!['isEnabled']],
        [
          'https://hooks.example/secret-path?key=secret',
          { actorId: actor.id, actorTaskId: null, actorRunId: null },
          false,
        ],
      );
      assert.deepEqual(
        [second!['requestUrl'], second!['isEnabled']],
        [`${to.url}/v2/actors/${actor.id}/runs?memory=256`, false],
      );
      for (const words of [
        'schedule mornings',
        `webhook ${hook['id']} (hooks.example)`,
        `webhook ${chain['id']}`,
      ])
        assert.ok(
          summary.toDo.some((line) => line.startsWith('Turn the ') && line.includes(words)),
          words,
        );

      const again = await importActors(from, to, makeFolder(), '--only', 'schedules,webhooks');
      assert.deepEqual(
        [again.summary.counts.schedules.unchanged, again.summary.counts.webhooks.unchanged],
        [1, 2],
      );
      const enabled = await importActors(from, to, data, '--only', 'schedules,webhooks', '--enable');
      assert.deepEqual(enabled.summary.toDo, []);
      assert.equal((await scheduleOf()).isEnabled, true);
      assert.deepEqual(
        (await webhooksOf()).map(({ isEnabled }) => isEnabled),
        [true, true],
      );
      // Nothing that was switched on is switched off again.
      await importActors(from, to, data, '--only', 'schedules,webhooks', '--overwrite');
      assert.equal((await scheduleOf()).isEnabled, true);
    });
  });

  describe('servers that misbehave', () => {
    before(async () => {
      await giveItems(from, 'flaky', 1500);
    });

    test('429 and 503 are waited for, on both sides', async () => {
      const flaky = () => {
        const met = new Map<string, number>();
        return ({ method, path }: { method: string; path: string }) => {
          const count = (met.get(`${method} ${path}`) ?? 0) + 1;
          met.set(`${method} ${path}`, count);
          if (count > 1 || met.size > 9 || path.endsWith('/users/me')) return undefined;
          return { status: path.includes('items') ? 429 : 503, headers: { 'retry-after': '0' } };
        };
      };
      const [source, target] = [await front(from, flaky()), await front(to, flaky())];
      const { code, summary } = await importActors(source, target, data, '--only', 'datasets');
      assert.equal(code, 0, JSON.stringify(summary));
      assert.equal((await listItems(to, 'flaky')).length, 1500);
    });

    test('a reply that breaks off is read again from there', async () => {
      let cuts = 0;
      const source = await front(from, ({ path }) => {
        if (!path.includes('format=jsonl') || cuts >= 2) return undefined;
        cuts += 1;
        return { cutAfter: 5000 };
      });
      const { code } = await importActors(source, to, data, '--only', 'datasets');
      assert.deepEqual([code, cuts], [0, 2]);
      assert.deepEqual(
        (await listItems(to, 'flaky')).map(({ n }) => n),
        Array.from({ length: 1500 }, (_, n) => n),
      );
    });

    test('what a token may not read is reported, and the rest is copied', async () => {
      const source = await front(from, ({ path }) =>
        path.startsWith('/v2/webhooks') ? { status: 403 } : undefined,
      );
      const { code, summary } = await importActors(source, to, data, '--only', 'webhooks,datasets');
      assert.equal(code, 1);
      assert.deepEqual(summary.things[0], {
        kind: 'webhooks',
        name: '(all)',
        outcome: 'failed',
        reason: 'Made up 403.',
      });
      assert.equal((await listItems(to, 'flaky')).length, 1500);
    });

    test('a push whose answer is lost is not repeated', async () => {
      let lost = 0;
      const target = await front(to, ({ method, path }) => {
        if (method !== 'POST' || !path.endsWith('/items') || lost >= 2) return undefined;
        lost += 1;
        return { cutAfter: 0 };
      });
      const { code } = await importActors(from, target, data, '--only', 'datasets');
      assert.deepEqual([code, lost], [0, 2]);
      assert.equal((await listItems(to, 'flaky')).length, 1500);
    });
  });
});

describe('a killed import', () => {
  test('goes on where it was, and has everything once', async () => {
    const [from, to, data] = [
      await startServer({ limits: 'off' }),
      await startServer({ limits: 'off' }),
      makeFolder(),
    ];
    await giveItems(from, 'shops', 2500);
    await giveRecords(from, 'files', 20);
    let victim: ReturnType<typeof start> | undefined;
    let left = 0;
    const target = await openFront(to, ({ method }) => {
      if (method !== 'GET') left -= 1;
      if (left === 0) victim?.kill('SIGKILL');
      return undefined;
    });
    let kills = 0;
    for (const allowed of [2, 10, 20, Infinity]) {
      left = allowed;
      const flags = ['--from-url', from.url, '--to-url', target.url, '--data', data];
      victim = start(['import', 'actors', ...flags], {
        APIFY_TOKEN: ADMIN_TOKEN,
        SIGNALBOX_TOKEN: ADMIN_TOKEN,
      });
      const { code, err } = await victim.ended;
      if (code !== 0) kills += 1;
      else assert.match(err, /dataset shops: /);
    }
    assert.equal(kills, 3);
    const numbers = (await listItems(to, 'shops')).map(({ n }) => n);
    assert.deepEqual(
      numbers,
      Array.from({ length: 2500 }, (_, n) => n),
    );
    assert.equal((await must(to, '/key-value-stores/~files/keys')).json.data.count, 22);
    target.close();
    await from.stop();
    await to.stop();
  });
});

describe('wrong use', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server.stop());
  const data = makeFolder();
  const fail = async (flags: string[], env: NodeJS.ProcessEnv = {}) => {
    const { code, out, err } = await run(['import', 'actors', '--data', data, ...flags], { env });
    assert.equal(out, '');
    return { code, err };
  };
  const there = () => ['--to-url', server.url, '--to-token', ADMIN_TOKEN];

  test('a wrong token is named by its flag, and not shown', async () => {
    const from = ['--from-url', server.url, '--token', 'api-some-wrong-token'];
    assert.deepEqual(await fail([...from, ...there()]), {
      code: 1,
      err: `${server.url} rejects the token: give another with --token.`,
    });
    const to = ['--to-url', server.url, '--to-token', 'api-some-wrong-token'];
    const right = ['--from-url', server.url, '--token', ADMIN_TOKEN];
    assert.deepEqual(await fail([...right, ...to]), {
      code: 1,
      err: `${server.url} rejects the token: give another with --to-token.`,
    });
  });

  test('a server that cannot be reached fails at once', async () => {
    const { code, err } = await fail(['--from-url', 'http://127.0.0.1:1', '--token', 'x', ...there()]);
    assert.equal(code, 1);
    assert.match(err, /^127\.0\.0\.1:1 cannot be reached: .*ECONNREFUSED.*\. Check --from-url\.$/);
  });

  test('something that is not such a server is told apart', async () => {
    const other = await openFront(server, () => ({ status: 404 }));
    const { code, err } = await fail(['--from-url', other.url, '--token', 'x', ...there()]);
    other.close();
    assert.deepEqual([code, err], [2, `${other.url} is not a server with the Actors API. Check --from-url.`]);
  });

  test('the account itself is refused', async () => {
    const from = ['--from-url', `${server.url}/v2/`, '--token', ADMIN_TOKEN];
    assert.deepEqual(await fail([...from, ...there()]), {
      code: 2,
      err: 'Both sides are the account admin of the same server.',
    });
  });

  for (const [what, flags, words] of [
    ['no source', [], /--from-url/],
    [
      'no token',
      ['--from-url', 'http://a.example'],
      /^A token for http:\/\/a\.example is missing: give it with --token/,
    ],
    ['no URL', ['--from-url', 'a.example', '--token', 'x'], /^--from-url must be a URL like/],
    [
      'a token in the URL',
      ['--from-url', 'http://a.example?token=secret', '--token', 'x'],
      /^--from-url must have no/,
    ],
    [
      'an unknown kind',
      ['--from-url', 'http://a.example', '--token', 'x', '--only', 'actor'],
      /^--only has "actor", which/,
    ],
    [
      'no target token',
      ['--from-url', 'http://a.example', '--token', 'x', '--to-url', 'http://b.example'],
      /^A token for http:\/\/b\.example is missing: give it with --to-token/,
    ],
  ] as const) {
    test(`${what} is wrong use`, async () => {
      const { code, err } = await fail([...flags]);
      assert.equal(code, 2);
      assert.match(err, words);
      assert.doesNotMatch(err, /secret/);
    });
  }

  test('without a running server it says how to start or name one', async () => {
    const { code, err } = await fail(['--from-url', server.url, '--token', ADMIN_TOKEN]);
    assert.equal(code, 1);
    assert.match(
      err,
      /^No server is ready on .*: start one with signalbox serve, name its folder with --data/,
    );
  });
});

describe('into the server of a data folder', () => {
  test('it needs no token, leaves none behind, and tells people what to do', async () => {
    const from = await startServer({ limits: 'off' });
    await giveActor(from, 'hello');
    await giveItems(from, 'shops', 2);
    const data = joinPath(makeFolder(), 'data');
    const server = await startProcess(data);
    const flags = ['import', 'actors', '--from-url', from.url, '--token', ADMIN_TOKEN, '--data', data];
    const { code, out, err } = await run([...flags, '--build'], { isTerminal: true, env: { NO_COLOR: '1' } });
    assert.equal(code, 0, out + err);
    assert.match(err, /^build of the Actor hello, version 0\.1: succeeded$/m);
    assert.match(out, new RegExp(`^From ${from.url} \\(admin\\) to ${server.url} \\(admin\\)$`, 'm'));
    assert.match(out, /^ +created\nActors +1\ndatasets +1$/m);
    assert.match(out, /^Copied: 2 items, 0 records, 0 requests\.$/m);
    assert.match(
      out,
      /^For you to do:\n {2}Set the secret environment variable HIDDEN of the Actor hello, version 0\.1/m,
    );

    const tokens = JSON.parse((await run(['token', 'ls', '--data', data])).out) as unknown[];
    assert.equal(tokens.length, 1);
    // No token is in any file of the import.
    for (const file of globSync('imports/**', { cwd: data, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    )) {
      const path = joinPath(file.parentPath, file.name);
      assert.doesNotMatch(readFileSync(path, 'utf8'), /api-/);
      assert.equal(statSync(path).mode & 0o077, 0);
    }
    const again = await run([...flags, '--build'], { isTerminal: true, env: { NO_COLOR: '1' } });
    assert.match(again.out, /^ +unchanged\nActors +1\ndatasets +1$/m);
    assert.doesNotMatch(again.err, /build of/);
    await from.stop();
    server.kill('SIGTERM');
    await server.ended;
  });
});
