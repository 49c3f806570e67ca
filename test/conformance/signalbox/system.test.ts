// The state of the server over the Signalbox API: what it shows, to whom, and the log level that it changes.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SETTING_NAMES } from '../../../src/app/config.ts';
import { deletePause, insertPause } from '../../../src/kernel/backup/backup-store.ts';
import { schedule } from '../../../src/kernel/jobs/due-store.ts';
import { onEachEngine } from '../../engines.ts';
import { insertDiskSamples, listDiskSamples } from '../../../src/signalbox/system/disk-use-store.ts';
import { DISK_NODE, forecastSamples, sampleDisks } from '../../../src/signalbox/system/disk-use.ts';
import { eventually } from '../../eventually.ts';
import { EventReader } from '../../event-stream.ts';
import { giveToken, join, openBrowser } from '../../people.ts';
import { ADMIN_TOKEN, type Answer, type Json, type TestServer } from '../../server.ts';
import { startServerOn } from '../../suites.ts';

const SYSTEM = '/signalbox/v1/system';
const SETTINGS = '/signalbox/v1/settings';
const MINUTE = 60_000;

onEachEngine((engine) => {
  let server: TestServer;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
  });
  after(() => server.stop());

  const read = async (): Promise<Json> => {
    const { status, json, text } = await server.call(SYSTEM);
    assert.equal(status, 200, text);
    return json;
  };

  test('what takes room on disk is shown by kind, with when the disk is full', async () => {
    const { kernel } = server.app;
    const now = kernel.clock.now();
    await sampleDisks(kernel, DISK_NODE, new AbortController().signal);
    const { diskUse } = await read();
    const kinds = (diskUse.kinds as Json[]).map(({ kind }) => kind as string).toSorted();
    assert.deepEqual(kinds, ['backups', 'builds and runs', 'database', 'large objects', 'repositories']);
    assert.ok((diskUse.kinds as Json[]).every(({ bytes, at }) => (bytes >= 0 && at === now) || at > now));
    await insertDiskSamples(
      kernel.db,
      DISK_NODE.name,
      [30, 20, 10].map((days) => ({
        kind: 'disk data',
        at: now - days * 24 * 60 * MINUTE,
        bytes: 1e9 * (40 - days),
        totalBytes: 40e9,
      })),
      0,
    );
    const [forecast] = forecastSamples(await listDiskSamples(kernel.db, DISK_NODE.name), now);
    assert.deepEqual([forecast!.names, forecast!.bytesPerDay], ['data', 1e9]);
    assert.ok(Math.abs(forecast!.fullAt! - (now + 10 * 24 * 60 * MINUTE)) < MINUTE);
  });

  const setLevel = (body: unknown, token?: string): Promise<Answer> =>
    server.call(`${SYSTEM}/log-level`, { method: 'PUT', body, ...(token !== undefined && { token }) });

  test('an administrator sees the process, the database, the disk, the nodes and the checks', async () => {
    const system = await read();
    const { kernel } = server.app;
    assert.equal(system['release'], kernel.release);
    assert.equal(system['node'].version, process.versions.node);
    assert.ok(system['memory'].rss > system['memory'].heapUsed);
    assert.ok(Math.abs(system['startedAt'] + system['uptimeSeconds'] * 1000 - kernel.clock.now()) < MINUTE);
    assert.equal(system['database'].engine, engine.kind);
    assert.match(system['database'].version as string, /^\d+\.\d+/);
    assert.ok(system['database'].bytes > 100_000);
    assert.ok(system['disk'] === undefined || system['disk'].totalBytes >= system['disk'].freeBytes);
    assert.equal(system['objects'].kind, 'folder');
    const self = (system['nodes'] as Json[]).filter(({ isSelf }) => isSelf);
    assert.equal(self.length, 1);
    assert.ok((self[0]!['roles'] as string[]).includes('api'));
    assert.equal(system['logLevel'], kernel.log.level);
    assert.equal(system['isDueWorkComplete'], true);
    assert.deepEqual(system['webhooks'], { pending: 0, retrying: 0, failing: 0 });
    assert.deepEqual(system['limits'], { isEnabled: false });
    const checks = system['checks'] as Json[];
    for (const name of ['database', 'background work', 'webhooks', 'nodes', 'event loop', 'git', 'actors'])
      assert.ok(
        checks.some((check) => check['name'] === name),
        name,
      );
    assert.ok(checks.some(({ name, state }) => name === 'rate limits' && state === 'warn'));
    for (const { state, text } of checks) {
      assert.ok(['ok', 'warn', 'bad'].includes(state as string));
      assert.ok((text as string).length > 0);
    }
  });

  test('an administrator sees every setting with its origin, and of secrets only whether they are set', async () => {
    const { status, json, text } = await server.call(SETTINGS);
    assert.equal(status, 200, text);
    const items = json['items'] as Json[];
    assert.deepEqual(
      items.map(({ name }) => name),
      SETTING_NAMES,
    );
    const byName = new Map(items.map((item) => [item['name'] as string, item]));
    const limits = byName.get('limits')!;
    assert.deepEqual(
      [
        limits['value'],
        limits['source'],
        limits['default'],
        limits['flag'],
        limits['env'],
        limits['isSecret'],
      ],
      ['off', 'flag', 'on', '--limits', 'SIGNALBOX_LIMITS', false],
    );
    assert.equal(byName.get('port')!['value'], new URL(server.url).port);
    for (const name of ['adminToken', 'secretKey', 's3SecretKey', 'adminPassword', 'metricsToken']) {
      const { isSecret, isSet, value, flag } = byName.get(name)!;
      assert.deepEqual(
        { isSecret, isSet, value, flag },
        {
          isSecret: true,
          isSet: ['adminToken', 'secretKey'].includes(name),
          value: undefined,
          flag: undefined,
        },
        name,
      );
    }
    assert.ok(!text.includes(ADMIN_TOKEN));
    // The password of the database of a test, where it has one.
    const { database } =
      server.app.kernel.engine.kind === 'postgres' ? { database: byName.get('database')! } : {};
    assert.doesNotMatch((database?.['value'] ?? '') as string, /:[^*:@/]+@/);
    for (const { description, env } of items) assert.ok(description !== '' && env !== '');
  });

  test('others are refused the settings, with the permission that they lack', async () => {
    const member = await join(server, 'settings-reader', { role: 'writer' });
    const { value: token } = await giveToken(server, member, { role: 'writer' });
    const { status, json } = await server.call(SETTINGS, { token });
    assert.equal(status, 403);
    assert.deepEqual(json['access'], { action: 'administerServer', resource: 'acct' });
    assert.equal((await server.call(SETTINGS, { token: null })).status, 401);
  });

  test('work that nobody does is late, and a check names it with its error', async () => {
    const { db, clock } = server.app.kernel;
    const now = clock.now();
    for (const [id, dueAt] of [
      ['one', now - 10 * MINUTE],
      ['two', now - 5 * MINUTE],
      ['later', now + 60 * MINUTE],
    ] as const)
      await schedule(db, { id, kind: 'nobodys.work', payload: 'secret payload', dueAt }, now);
    await db
      .updateTable('due')
      .set({ last_error: 'x'.repeat(5000) })
      .where('id', '=', 'two')
      .execute();
    const { json: system, text } = await server.call(SYSTEM);
    const work = (system['dueWork'] as Json[]).find(({ kind }) => kind === 'nobodys.work')!;
    assert.deepEqual(
      [work['waiting'], work['running'], work['late'], work['failed'], work['oldestAt']],
      [3, 0, 2, 1, now - 10 * MINUTE],
    );
    assert.equal((work['lastError'] as string).length, 300);
    assert.doesNotMatch(text, /secret payload/);
    const check = (system['checks'] as Json[]).find(({ name }) => name === 'background work')!;
    assert.equal(check['state'], 'warn');
    assert.match(check['text'] as string, /2 pieces of work are late.*nobodys\.work/);
    await insertPause(db, { backup: 'one', madeAt: new Date(now).toISOString(), since: now });
    const { json: paused } = await server.call(SYSTEM);
    const names = (paused['checks'] as Json[]).map(({ name }) => name as string);
    assert.equal(names[0], 'paused');
    assert.ok(!names.includes('background work') && !names.includes('nodes'), 'they wait on purpose');
    await deletePause(db);
    await db.deleteFrom('due').where('kind', '=', 'nobodys.work').execute();
  });

  test('of more work than is counted the first is shown, and that there is more', async () => {
    const { db, clock } = server.app.kernel;
    const now = clock.now();
    await db.transaction().execute(async (tx) => {
      for (let index = 0; index < 2100; index += 100)
        await tx
          .insertInto('due')
          .values(
            Array.from({ length: 100 }, (_, number) => ({
              id: `many-${index + number}`,
              kind: 'nobodys.work',
              payload: '',
              due_at: now + 60 * MINUTE,
              owner: null,
              attempts: 0,
              last_error: null,
              created_at: now,
            })),
          )
          .execute();
    });
    const system = await read();
    assert.equal(system['isDueWorkComplete'], false);
    const counted = (system['dueWork'] as Json[]).reduce(
      (sum, work) => sum + (work['waiting'] as number) + (work['running'] as number),
      0,
    );
    assert.equal(counted, 2000);
    await db.deleteFrom('due').where('kind', '=', 'nobodys.work').execute();
  });

  test('streams that are open are counted', async () => {
    const reader = await EventReader.open(`${server.url}/signalbox/v1/stream`, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    });
    await reader.next();
    assert.equal((await read())['streams'].changes, 1);
    reader.close();
    await eventually(async () => (await read())['streams'].changes === 0);
  });

  test('readers and writers are refused with the permission that they lack', async () => {
    const access = { action: 'administerServer', resource: 'acct' };
    const owner = await join(server, 'olga', { role: 'owner' });
    const writer = await join(server, 'will', { role: 'writer' });
    const tokens = [
      await giveToken(server, await join(server, 'rita'), { role: 'reader' }),
      await giveToken(server, writer, { role: 'owner' }),
      await giveToken(server, owner, { role: 'writer' }),
      await giveToken(server, owner, { isService: true, role: 'writer' }),
    ];
    for (const { value: token } of tokens)
      for (const refused of [
        await server.call(SYSTEM, { token }),
        await setLevel({ level: 'debug' }, token),
      ]) {
        assert.equal(refused.status, 403);
        assert.deepEqual(refused.json['access'], access);
      }
    const browser = await openBrowser(server, writer);
    assert.equal((await server.call(SYSTEM, { token: null, headers: browser })).status, 403);
    assert.equal((await server.call(SYSTEM, { token: null })).status, 401);
    const { value: service } = await giveToken(server, owner, { isService: true, role: 'admin' });
    assert.equal((await server.call(SYSTEM, { token: service })).status, 200);
  });

  test('the log level changes at once and is audited; what is no level changes nothing', async (t) => {
    const { log } = server.app.kernel;
    const earlier = log.level;
    t.after(() => (log.level = earlier));
    const changed = await setLevel({ level: 'fatal' });
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual(changed.json, { level: 'fatal' });
    assert.equal(log.level, 'fatal');
    assert.equal((await read())['logLevel'], 'fatal');
    assert.equal((await setLevel({ level: 'fatal' })).status, 200);
    const { json } = await server.call('/signalbox/v1/activity?action=administerServer');
    const [entry, ...others] = json['items'] as Json[];
    assert.deepEqual([entry!['verb'], others.length], ['changed the log level of', 0]);
    for (const body of [{}, [], { level: 'loud' }, { level: 1 }, { level: 'info', other: 1 }, 'x']) {
      const { status } = await setLevel(body);
      assert.ok([400, 422].includes(status), JSON.stringify(body));
    }
    assert.equal(log.level, 'fatal');
  });

  test('a log level that was changed since the start is the setting in force, changed by a call', async () => {
    const usual = (await read())['logLevel'] as string;
    await setLevel({ level: 'error' });
    const { json } = await server.call(SETTINGS);
    const { value, source } = (json['items'] as Json[]).find(({ name }) => name === 'logLevel')!;
    assert.deepEqual([value, source], ['error', 'call']);
    await setLevel({ level: usual });
  });
});
