// Replies that are kept until rows change that they were made from: when a handler runs again, and for whom.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { flagsApi } from '../src/flags/api.ts';
import { hostApi } from '../src/host/api.ts';
import type { Api } from '../src/kernel/http/protocol.ts';
import { route } from '../src/kernel/http/route.ts';
import type { Kernel } from '../src/kernel/kernel.ts';
import { Type } from '../src/kernel/schema/schema.ts';
import { onEachEngine } from './engines.ts';
import { mount } from './mount.ts';
import { giveToken, join } from './people.ts';
import { ADMIN_TOKEN, type TestServer } from './server.ts';
import { startServerOn } from './suites.ts';

onEachEngine((engine) => {
  /** On PostgreSQL other servers may write, and nothing is kept. */
  const isKeeping = engine.kind === 'sqlite';
  let server: TestServer;
  let fixture: Awaited<ReturnType<typeof mount>>;
  let runs = 0;
  let during: ((kernel: Kernel) => Promise<unknown>) | undefined;

  const shape = {
    id: 'fixture_kept',
    method: 'GET',
    path: '/kept/{name}',
    summary: 'Read a name',
    access: 'anyone',
    params: Type.Object({ name: Type.String() }),
    reply: { 200: Type.Object({ ids: Type.Array(Type.Integer()) }) },
    isKept: true,
  } as const;
  const kept = route(shape, async ({ params }, kernel) => {
    runs += 1;
    const { rows } = await sql<{ id: number }>`
      select child.id from kept_children as child join kept_parents as parent on parent.id = child.parent_id
      where parent.name = ${params.name} order by child.id`.execute(kernel.db);
    await during?.(kernel);
    return { ids: rows.map(({ id }) => id) };
  });

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    for (const statement of [
      'create table kept_parents (id bigint primary key, name varchar(20) not null)',
      'create table kept_children (id bigint primary key, parent_id bigint references kept_parents (id) on delete cascade)',
      'create table kept_others (id bigint primary key)',
    ])
      await sql.raw(statement).execute(server.app.kernel.db);
    const apis = [flagsApi, hostApi].map(({ protocol }): Api => ({
      protocol: { ...protocol, versions: { ...protocol.versions, changes: [] } },
      routes: [kept],
    }));
    fixture = await mount(server, ...apis);
  });
  after(async () => {
    await fixture.close();
    await server.stop();
  });
  beforeEach(async () => {
    const { db } = server.app.kernel;
    await sql`delete from kept_children`.execute(db);
    await sql`delete from kept_parents`.execute(db);
    await sql`insert into kept_parents values (1, 'one')`.execute(db);
    await sql`insert into kept_children values (10, 1)`.execute(db);
    during = undefined;
    runs = 0;
  });

  /** With the administrator's token; null sends none. */
  const get = async (
    {
      token = ADMIN_TOKEN,
      ...headers
    }: { token?: string | null; [name: string]: string | null | undefined } = {},
    path = '/kept/one',
  ) =>
    await fetch(fixture.url + path, {
      headers: {
        ...(headers as Record<string, string>),
        ...(token !== null && { authorization: `Bearer ${token}` }),
      },
    });
  const read = async (headers?: Parameters<typeof get>[0], path?: string): Promise<number[]> => {
    const answer = await get(headers, path);
    assert.equal(answer.status, 200);
    return ((await answer.json()) as { ids: number[] }).ids;
  };

  test('the handler runs once while its tables stay as they are, whatever is written elsewhere', async () => {
    const first = await get();
    assert.equal(await first.text(), '{"ids":[10]}');
    await sql`insert into kept_others values (${Date.now()})`.execute(server.app.kernel.db);
    const second = await get();
    assert.equal(await second.text(), '{"ids":[10]}');
    assert.equal(runs, isKeeping ? 1 : 2);
    const own = (answer: Response) =>
      [...answer.headers].filter(
        ([name]) => !['date', 'x-request-id'].includes(name) && !name.includes('request-id'),
      );
    assert.deepEqual(own(second), own(first));
    const etag = first.headers.get('etag')!;
    assert.equal((await get({ 'if-none-match': etag })).status, 304);
    assert.deepEqual(await read({}, '/api/v2/kept/one'), [10]);
  });

  test('a write, a transaction, a cascade and a rollback are followed', async () => {
    const { db } = server.app.kernel;
    await read();
    await sql`insert into kept_children values (11, 1)`.execute(db);
    assert.deepEqual(await read(), [10, 11]);
    await db.transaction().execute(async (tx) => {
      await sql`insert into kept_children values (12, 1)`.execute(tx);
      // What others read while the transaction is open is from before, and not kept beyond its end.
      assert.deepEqual(await read(), [10, 11]);
    });
    assert.deepEqual(await read(), [10, 11, 12]);
    await assert.rejects(
      db.transaction().execute(async (tx) => {
        await sql`delete from kept_children`.execute(tx);
        throw new Error('rolled back');
      }),
      /rolled back/,
    );
    assert.deepEqual(await read(), [10, 11, 12]);
    await sql`delete from kept_parents`.execute(db);
    assert.deepEqual(await read(), []);
  });

  test('a batch and a batch on a condition are followed', async () => {
    const { db, engine: storage } = server.app.kernel;
    const insert = (id: number) => sql`insert into kept_children values (${id}, 1)`.compile(db);
    await read();
    await storage.batch([insert(20)]);
    assert.deepEqual(await read(), [10, 20]);
    await storage.batchIf([insert(21)], [insert(22)]);
    assert.deepEqual(await read(), [10, 20, 21, 22]);
  });

  test('a reply is not kept where a table changes while it is made, or the handler writes', async () => {
    const { db } = server.app.kernel;
    during = async () => await sql`insert into kept_children values (30, 1)`.execute(db);
    assert.deepEqual(await read(), [10]);
    during = undefined;
    assert.deepEqual(await read(), [10, 30]);
    await sql`insert into kept_children values (31, 1)`.execute(db);
    during = async (kernel) => await sql`delete from kept_others`.execute(kernel.db);
    runs = 0;
    await read();
    await read();
    assert.equal(runs, 2);
  });

  test('each caller, version, media type and address has a reply of its own', async () => {
    const member = await join(server, 'kept-reader', { role: 'reader' });
    const { value } = await giveToken(server, member, { role: 'reader' });
    const calls = [
      {},
      { token: value },
      { token: null },
      { accept: 'application/json' },
      { 'x-host-api-version': '2026-03-10' },
    ];
    for (const headers of calls) await read(headers);
    assert.deepEqual(await read({}, '/kept/two'), []);
    assert.equal(runs, calls.length + 1);
    for (const headers of calls) await read(headers);
    assert.equal(runs, isKeeping ? calls.length + 1 : 2 * calls.length + 1);
  });

  test('an error is not kept', async () => {
    during = () => Promise.reject(new Error('for a test'));
    assert.equal((await get()).status, 500);
    during = undefined;
    assert.deepEqual(await read(), [10]);
    assert.equal(runs, 2);
  });

  test('a flag that is read again follows its changes, those of its environments and its project', async () => {
    await server.call('/api/v2/projects', { method: 'POST', body: { key: 'kept', name: 'Kept' } });
    await server.call('/api/v2/flags/kept', { method: 'POST', body: { key: 'flag', name: 'First' } });
    const path = '/api/v2/flags/kept/flag';
    const again = async () => {
      await server.call(path);
      return (await server.call(path)).json;
    };
    assert.equal((await again())['name'], 'First');
    const patch = async (where: string, value: unknown) => {
      const body = [{ op: 'replace', path: where, value }];
      const { status, text } = await server.call(path, { method: 'PATCH', body });
      assert.equal(status, 200, text);
    };
    await patch('/name', 'Second');
    assert.equal((await again())['name'], 'Second');
    await patch('/environments/production/on', true);
    assert.equal((await again())['environments'].production.on, true);
    const environment = { key: 'late', name: 'Late', color: '000000' };
    await server.call('/api/v2/projects/kept/environments', { method: 'POST', body: environment });
    assert.ok('late' in (await again())['environments']);
    await server.call('/api/v2/projects/kept', { method: 'DELETE' });
    assert.equal((await server.call(path)).status, 404);
  });
});
