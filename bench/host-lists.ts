// Lists of repositories: fifty of a hundred thousand, against fifty of a hundred.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { openSqlite } from '../src/kernel/storage/sqlite/sqlite.ts';
import { compare, type Effort } from './compare.ts';
import { hostHeaders } from './host-repository.ts';
import type { Row } from './report.ts';
import { startOurs, type BenchServer } from './servers.ts';

const LARGE = 100_000;
const SMALL = 100;
const MOST = 1.5;

export async function benchRepositoryLists(effort: Effort): Promise<Row[]> {
  const [small, large] = [await startFilled(SMALL), await startFilled(LARGE)];
  const rows: Row[] = [];
  for (const [what, query] of [
    ['by name', ''],
    ['newest first', '&sort=created'],
  ] as const) {
    const targets = [small, large].map(({ server }) => ({
      server,
      work: { method: 'GET', path: `/user/repos?per_page=50${query}`, headers: hostHeaders },
    }));
    const [few, many] = await compare(targets, effort);
    rows.push({
      what: `list 50 of ${LARGE} repositories, ${what}`,
      value: `${Math.round(many!.cpu)} µs of CPU, ${Math.round(many!.rate)}/s`,
      ratio: many!.times,
      against: `50 of ${SMALL}, ${Math.round(few!.cpu)} µs, ${Math.round(few!.rate)}/s`,
      target: `≤ ${MOST}`,
      isMet: many!.times <= MOST,
    });
  }
  for (const { remove } of [small, large]) await remove();
  return rows;
}

async function startFilled(count: number): Promise<{ server: BenchServer; remove(): Promise<void> }> {
  const data = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
  const settings = { SIGNALBOX_DATA: data };
  const first = await startOurs(settings);
  await fetch(`${first.url}/user/repos`, {
    method: 'POST',
    headers: hostHeaders,
    body: JSON.stringify({ name: 'r0' }),
  });
  await first.stop();
  await copyRow(data, count);
  const server = await startOurs(settings);
  return {
    server,
    async remove() {
      await server.stop();
      for (const path of [data, `${data}-work`]) rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Inserted directly, because the API would make a folder for each. */
async function copyRow(data: string, count: number): Promise<void> {
  const engine = await openSqlite({ file: join(data, 'signalbox.db') });
  const { rows } = await sql<Record<string, unknown>>`select * from repositories`.execute(engine.db);
  const { number: _number, name: _name, full_name: _full, created_at: _at, ...rest } = rows[0]!;
  const others = sql.join(Object.keys(rest).map((column) => sql.ref(column)));
  await sql`
    with recursive counted (n) as (select 1 union all select n + 1 from counted where n < ${count - 1})
    insert into repositories (name, full_name, created_at, ${others})
    select 'r' || n, 'admin/r' || n, created_at + n, ${others} from counted, repositories where name = 'r0'`.execute(
    engine.db,
  );
  await engine.close();
}
