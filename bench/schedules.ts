// Schedules: what a claim, and a whole firing, cost among ten thousand schedules, against a hundred.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { FIRE_SCHEDULE, updateDue } from '../src/actors/schedules/store.ts';
import { claim, nextDueAt } from '../src/kernel/jobs/due-store.ts';
import type { Engine } from '../src/kernel/storage/engine.ts';
import { openPostgres } from '../src/kernel/storage/postgres/postgres.ts';
import { openSqlite } from '../src/kernel/storage/sqlite/sqlite.ts';
import { startPostgres } from '../test/postgres.ts';
import { median, type Effort } from './compare.ts';
import { cpuMsOf } from './cpu.ts';
import type { Row } from './report.ts';
import { ask, startRunServer } from './run-calls.ts';

const SMALL = 100;
const LARGE = 10_000;
const MOST = 1.3;
/** Claims, and firings, of one round. */
const CLAIMS = 300;
const FIRINGS = 100;
const TURNS = 3;
const DAY = 86_400_000;

export async function benchSchedules(effort: Effort): Promise<Row[]> {
  return [await benchSqliteClaims(effort), await benchPostgresClaims(effort), await benchFirings(effort)];
}

/** The cost of one operation among few and among many schedules, in microseconds. */
interface Costs {
  few: number;
  many: number;
  times: number;
}

/** In turns, so that other load of the machine affects both alike. */
async function compareCosts(rounds: number, measure: readonly (() => Promise<number>)[]): Promise<Costs> {
  const [few, many] = [measure[0]!, measure[1]!];
  await few();
  await many();
  const costs: [few: number, many: number][] = [];
  for (let round = 0; round < rounds; round += 1) costs.push([await few(), await many()]);
  return {
    few: median(costs.map(([one]) => one)),
    many: median(costs.map(([, other]) => other)),
    times: median(costs.map(([one, other]) => other / one)),
  };
}

function rowOf(what: string, unit: string, { few, many, times }: Costs): Row {
  return {
    what: `${what}, among ${LARGE} schedules`,
    value: `${Math.round(many)} µs ${unit}`,
    ratio: times,
    against: `among ${SMALL}, ${Math.round(few)} µs`,
    target: `≤ ${MOST}`,
    isMet: times <= MOST,
  };
}

async function benchSqliteClaims({ rounds }: Effort): Promise<Row> {
  const filled = [await fillFolder(SMALL), await fillFolder(LARGE)];
  const engines = await Promise.all(filled.map(({ file }) => openSqlite({ file })));
  const measure = engines.map((engine) => async () => {
    const begun = process.cpuUsage();
    await claimSome(engine);
    // Of all threads of this process, that of the database among them.
    const { user, system } = process.cpuUsage(begun);
    return (user + system) / CLAIMS;
  });
  const costs = await compareCosts(rounds * 3, measure);
  for (const engine of engines) await engine.close();
  for (const { remove } of filled) remove();
  return rowOf('a claim on SQLite', 'of CPU', costs);
}

async function benchPostgresClaims({ rounds }: Effort): Promise<Row> {
  const postgres = [await startPostgres(), await startPostgres()];
  const engines: Engine[] = [];
  for (const [index, count] of [SMALL, LARGE].entries()) {
    const { url } = postgres[index]!;
    await (await startRunServer({ DATABASE_URL: url })).stop();
    const engine = await openPostgres({ url });
    await fill(engine, count, 'somebody');
    await sql.raw('analyze').execute(engine.db);
    engines.push(engine);
  }
  const measure = engines.map((engine) => async () => {
    // The test database does not do it by itself, as others do.
    await sql.raw('vacuum due').execute(engine.db);
    const begun = await cpuOfBackends(engine);
    await claimSome(engine);
    return (((await cpuOfBackends(engine)) - begun) * 1000) / CLAIMS;
  });
  const costs = await compareCosts(rounds * 3, measure);
  for (const engine of engines) await engine.close();
  for (const one of postgres) await one.stop();
  return rowOf('a claim on PostgreSQL', "of the database's CPU", costs);
}

/** In milliseconds, of the processes that serve connections. */
async function cpuOfBackends({ db }: Engine): Promise<number> {
  const { rows } = await sql<{ pid: number }>`
    select pid from pg_stat_activity where backend_type = 'client backend'`.execute(db);
  return rows.reduce((sum, { pid }) => sum + cpuMsOf(pid), 0);
}

/** The look for what is due, the claim of a row, and its next due time; each time another row. */
async function claimSome(engine: Engine): Promise<void> {
  const { db } = engine;
  const kinds = [FIRE_SCHEDULE];
  for (let index = 0; index < CLAIMS; index += 1) {
    const now = (await nextDueAt(db, kinds))!;
    const [due] = await claim(engine, { kinds, owner: 'bench', leaseMs: 30_000, limit: 1 }, now);
    await db.transaction().execute(async (tx) => {
      await updateDue(tx, { id: due!.payload, nextRunAt: now + DAY }, now);
    });
  }
}

/** From the due row to the line in the log; without actions, because starting runs costs the same everywhere. */
async function benchFirings({ rounds }: Effort): Promise<Row> {
  const filled = [await fillFolder(SMALL), await fillFolder(LARGE)];
  const servers = await Promise.all(filled.map(({ data }) => startRunServer({ SIGNALBOX_DATA: data })));
  const engines = await Promise.all(filled.map(({ file }) => openSqlite({ file })));
  const measure = engines.map((engine, index) => async () => {
    const { pid } = servers[index]!;
    const begun = cpuMsOf(pid);
    for (let turn = 0; turn < TURNS; turn += 1) await fireSome(engine);
    return ((cpuMsOf(pid) - begun) * 1000) / (FIRINGS * TURNS);
  });
  const costs = await compareCosts(rounds, measure);
  for (const engine of engines) await engine.close();
  for (const server of servers) await server.stop();
  for (const { remove } of filled) remove();
  return rowOf('a firing on SQLite', 'of CPU', costs);
}

async function fireSome({ db }: Engine): Promise<void> {
  const moment = Date.now() - 1000;
  await db.transaction().execute(async (tx) => {
    const ids = tx.selectFrom('schedules').select('id').orderBy('id').limit(FIRINGS);
    await tx.updateTable('schedules').set({ next_run_at: moment }).where('id', 'in', ids).execute();
    await tx.updateTable('due').set({ due_at: moment }).where('payload', 'in', ids).execute();
  });
  for (;;) {
    await delay(100);
    const left = await db
      .selectFrom('schedules')
      .select('id')
      .where('next_run_at', '=', moment)
      .limit(1)
      .execute();
    if (left.length === 0) return;
  }
}

interface FilledFolder {
  data: string;
  file: string;
  remove(): void;
}

/** The folder of a server that has so many enabled schedules. */
async function fillFolder(count: number): Promise<FilledFolder> {
  const data = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
  const server = await startRunServer({ SIGNALBOX_DATA: data });
  const { id: userId } = await ask<{ id: string }>(server.url, 'GET', '/v2/users/me');
  await server.stop();
  const file = join(data, 'signalbox.db');
  const engine = await openSqlite({ file });
  await fill(engine, count, userId);
  await sql.raw('analyze').execute(engine.db);
  await engine.close();
  return { data, file, remove: () => rmSync(data, { recursive: true, force: true }) };
}

/** Inserted directly: an account may have a hundred. They fire in the course of a day. */
async function fill({ db }: Engine, count: number, userId: string): Promise<void> {
  const now = Date.now();
  const initiator = JSON.stringify({ memberId: userId });
  for (let start = 0; start < count; start += 100) {
    const numbers = Array.from({ length: 100 }, (_, index) => start + index);
    const momentOf = (number: number) => now + DAY + Math.floor((number * DAY) / count);
    await db
      .insertInto('schedules')
      .values(
        numbers.map((number) => ({
          id: `schedule-${number}`,
          user_id: userId,
          name: `schedule-${number}`,
          title: null,
          description: null,
          cron_expression: '@daily',
          timezone: 'UTC',
          is_enabled: 1,
          is_exclusive: 1,
          sends_email: 1,
          initiator,
          next_run_at: momentOf(number),
          last_run_at: null,
          created_at: now,
          modified_at: now,
        })),
      )
      .execute();
    await db.transaction().execute(async (tx) => {
      for (const number of numbers)
        await updateDue(tx, { id: `schedule-${number}`, nextRunAt: momentOf(number) }, now);
    });
  }
}
