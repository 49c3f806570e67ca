// Gists: reads of one, and fifty of a hundred thousand against fifty of a hundred. The CPU time of git counts with that of the server.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { openSqlite } from '../src/kernel/storage/sqlite/sqlite.ts';
import { compare, compareWithBare, type Effort } from './compare.ts';
import { hostHeaders } from './host-repository.ts';
import type { Work } from './load.ts';
import { cpuRow, type Row } from './report.ts';
import { startOurs, type BenchServer } from './servers.ts';

const LARGE = 100_000;
const SMALL = 100;
const MOST_OF_LIST = 1.5;
const MOST_OF_GET = 6;
const VERSION = { 'x-host-api-version': '2026-03-10' };

interface FilledServer {
  server: BenchServer;
  id: string;
  remove(): Promise<void>;
}

export async function benchGists(effort: Effort): Promise<Row[]> {
  const [small, large] = [await startFilled(SMALL), await startFilled(LARGE)];
  try {
    return [
      await benchGet(large, effort),
      ...(await benchLists(small, large, effort, [
        ['of the caller', '/gists'],
        ['public', '/gists/public'],
        ['of a user', '/users/admin/gists'],
      ])),
    ];
  } finally {
    for (const { remove } of [small, large]) await remove();
  }
}

async function benchGet({ server, id }: FilledServer, effort: Effort): Promise<Row> {
  return cpuRow('a gist of 3 files', await compareWithBare(server, workOf(`/gists/${id}`), effort), {
    most: MOST_OF_GET,
  });
}

async function benchLists(
  small: FilledServer,
  large: FilledServer,
  effort: Effort,
  lists: readonly (readonly [string, string])[],
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [what, path] of lists) {
    const work = workOf(`${path}?per_page=50`);
    const [few, many] = await compare(
      [small, large].map(({ server }) => ({ server, work })),
      effort,
    );
    rows.push({
      what: `list 50 of ${LARGE} gists, ${what}`,
      value: `${Math.round(many!.cpu)} µs of CPU, ${Math.round(many!.rate)}/s`,
      ratio: many!.times,
      against: `50 of ${SMALL}, ${Math.round(few!.cpu)} µs, ${Math.round(few!.rate)}/s`,
      target: `≤ ${MOST_OF_LIST}`,
      isMet: many!.times <= MOST_OF_LIST,
    });
  }
  return rows;
}

function workOf(path: string): Work {
  return { method: 'GET', path, headers: { ...hostHeaders, ...VERSION }, withChildren: true };
}

async function startFilled(count: number): Promise<FilledServer> {
  const data = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
  const settings = { SIGNALBOX_DATA: data };
  const first = await startOurs(settings);
  const files = Object.fromEntries(
    ['a.md', 'b.js', 'c.txt'].map((name) => [name, { content: `${name}\n`.repeat(200) }]),
  );
  const answer = await fetch(`${first.url}/gists`, {
    method: 'POST',
    headers: hostHeaders,
    body: JSON.stringify({ files, public: true, description: 'A gist' }),
  });
  const { id } = (await answer.json()) as { id: string };
  await first.stop();
  await copyGist(data, count);
  const server = await startOurs(settings);
  return {
    server,
    id,
    async remove() {
      await server.stop();
      for (const path of [data, `${data}-work`]) rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Inserted directly, because the API would make a folder for each. Lists read no folder. */
async function copyGist(data: string, count: number): Promise<void> {
  const engine = await openSqlite({ file: join(data, 'signalbox.db') });
  const { rows } = await sql<Record<string, unknown>>`select * from gists`.execute(engine.db);
  const { number, id: _id, updated_at: _at, ...rest } = rows[0]!;
  const others = sql.join(Object.keys(rest).map((column) => sql.ref(column)));
  await sql`
    with recursive counted (n) as (select 1 union all select n + 1 from counted where n < ${count - 1})
    insert into gists (id, updated_at, ${others})
    select printf('%032x', n), updated_at + n, ${others} from counted, gists where number = ${number}`.execute(
    engine.db,
  );
  await sql`
    insert into gist_revisions (gist_number, position, sha, author_id, committed_at, additions, deletions)
    select gists.number, position, sha, author_id, committed_at, additions, deletions
    from gists, gist_revisions where gist_number = ${number} and gists.number <> ${number}`.execute(
    engine.db,
  );
  await engine.close();
}
