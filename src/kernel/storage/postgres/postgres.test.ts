// The PostgreSQL engine only: messages about servers, and recovery from lost connections.
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { sql } from 'kysely';
import { onEngine, openEngine } from '../../../../test/engines.ts';
import { eventually } from '../../../../test/eventually.ts';
import type { Engine } from '../engine.ts';
import { openPostgres } from './postgres.ts';

const killBackend = (db: Engine['db'], pid: number): Promise<unknown> =>
  sql`select pg_terminate_backend(${pid})`.execute(db);

async function backendOf(db: Engine['db']): Promise<number> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
  return rows[0]?.pid ?? 0;
}

/** A port on which nothing listens. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

onEngine('postgres', (engine) => {
  test('a server that does not answer is named, and the password is not', async () => {
    const port = await closedPort();
    await assert.rejects(
      openPostgres({ url: `postgres://ada:secret@127.0.0.1:${port}/signalbox` }),
      (error: Error) => {
        assert.match(
          error.message,
          new RegExp(`^PostgreSQL at 127\\.0\\.0\\.1:${port} does not answer: check`),
        );
        assert.doesNotMatch(error.message, /secret/);
        return true;
      },
    );
  });

  test('a database that does not exist is named', async () => {
    const url = new URL(await engine.database());
    url.pathname = '/nowhere';
    await assert.rejects(openPostgres({ url: url.href }), {
      kind: 'unavailable',
      message: /no database "nowhere"/,
    });
  });

  test('a missing schema is reported at once', async () => {
    const location = await engine.database();
    const url = location.replace(/search_path%3D.*/, 'search_path%3Dnowhere');
    await assert.rejects(openPostgres({ url }), { kind: 'unavailable', message: /search_path/ });
  });

  test('a connection lost in a transaction fails it as unavailable, and the next one works', async () => {
    const { db } = await engine.open();
    await sql`create table notes (name text)`.execute(db);
    const transaction = db.transaction().execute(async (tx) => {
      await sql`insert into notes values ('a')`.execute(tx);
      await killBackend(db, await backendOf(tx));
      await sql`insert into notes values ('b')`.execute(tx);
    });
    await assert.rejects(transaction, { kind: 'unavailable' });
    const { rows } = await sql`select name from notes`.execute(db);
    assert.deepEqual(rows, []);
  });

  test('connections lost while idle are replaced', async () => {
    const location = await engine.database();
    const warned = Promise.withResolvers<void>();
    const one = await openEngine(location, { warn: () => warned.resolve(), error: () => {} });
    const other = await engine.open([], location);
    await killBackend(other.db, await backendOf(one.db));
    await warned.promise;
    await one.ping();
    await one.close();
  });

  test('a lost listener reconnects and notifies that something may have changed', async () => {
    const location = await engine.database();
    const one = await engine.open(
      [],
      `${location}&application_name=${encodeURIComponent(location.slice(-32))}`,
    );
    const other = await engine.open([], location);
    const received: (string | undefined)[] = [];
    let next = Promise.withResolvers<void>();
    await one.listen('news', (payload) => {
      received.push(payload);
      next.resolve();
    });
    const { rows } = await sql<{ pid: number }>`
      select pid from pg_stat_activity
      where application_name = ${location.slice(-32)} and query like 'listen %'`.execute(other.db);
    await killBackend(other.db, rows[0]?.pid ?? 0);
    await next.promise;
    next = Promise.withResolvers<void>();
    await other.notify('news', 'again');
    await next.promise;
    assert.deepEqual(received, [undefined, 'again']);
  });

  test('several listeners at once send one statement after the other', async () => {
    const { listen } = await engine.open();
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on('warning', note);
    await Promise.all(['one', 'two', 'three'].map((channel) => listen(channel, () => {})));
    // Warnings are emitted in the next tick.
    await new Promise(setImmediate);
    process.removeListener('warning', note);
    assert.deepEqual(warnings, []);
  });

  test('a notification that is too long for PostgreSQL is sent without its payload', async () => {
    const { listen, notify } = await engine.open();
    const received = Promise.withResolvers<string | undefined>();
    await listen('news', received.resolve);
    await notify('news', 'x'.repeat(8_000));
    assert.equal(await received.promise, undefined);
  });

  test('programs in two schemas of one database do not hear each other', async () => {
    const [one, other] = [await engine.open(), await engine.open()];
    const received = Promise.withResolvers<string | undefined>();
    await one.listen('news', received.resolve);
    await other.notify('news', 'theirs');
    await one.notify('news', 'ours');
    assert.equal(await received.promise, 'ours');
  });

  test('a transaction that goes silent is ended', async () => {
    const location = await engine.database();
    const { db } = await engine.open([], location);
    const silent = db.transaction().execute(async (tx) => {
      const pid = await backendOf(tx);
      // Of this one alone: a pause of the process must not end the next.
      await sql`set local idle_in_transaction_session_timeout = 50`.execute(tx);
      const isThere = async (): Promise<boolean> => {
        const { rows } = await sql`select 1 from pg_stat_activity where pid = ${pid}`.execute(db);
        return rows.length > 0;
      };
      await eventually(async () => !(await isThere()));
      await backendOf(tx);
    });
    await assert.rejects(silent, { kind: 'timeout' });
    await db.transaction().execute((tx) => backendOf(tx));
  });

  test('of two transactions that wait for each other one is run again, and both are done', async () => {
    const { db } = await engine.open();
    await sql`create table notes (id integer primary key, size integer not null)`.execute(db);
    await sql`insert into notes values (1, 0), (2, 0)`.execute(db);
    const both = Promise.withResolvers<void>();
    let runs = 0;
    const resize = (first: number, second: number) =>
      db.transaction().execute(async (tx) => {
        await sql`update notes set size = size + 1 where id = ${first}`.execute(tx);
        runs += 1;
        if (runs === 2) both.resolve();
        await both.promise;
        await sql`update notes set size = size + 1 where id = ${second}`.execute(tx);
      });
    await Promise.all([resize(1, 2), resize(2, 1)]);
    // The one that is run again may meet the other a second time.
    assert.ok(runs >= 3, String(runs));
    const { rows } = await sql`select size from notes`.execute(db);
    assert.deepEqual(rows, [{ size: 2 }, { size: 2 }]);
  });

  test('a statement prepared before a column was added still works', async () => {
    const { db } = await engine.open();
    await sql`create table notes (name text)`.execute(db);
    await sql`insert into notes values ('a')`.execute(db);
    const read = (): Promise<unknown[]> =>
      db
        .selectFrom('notes' as 'migrations')
        .selectAll()
        .where('name', '=', 'a')
        .execute();
    assert.deepEqual(await read(), [{ name: 'a' }]);
    await sql`alter table notes add column size integer default 3`.execute(db);
    assert.deepEqual(await read(), [{ name: 'a', size: 3 }]);
  });
});
