// Issues: reads of one and of a list, the same again and others, and fifty of a hundred thousand against fifty of a hundred, by filter and order.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { openSqlite } from '../src/kernel/storage/sqlite/sqlite.ts';
import { compare, compareWithBare, type Effort, type Measured } from './compare.ts';
import { hostHeaders } from './host-repository.ts';
import type { Work } from './load.ts';
import { cpuRow, type Row } from './report.ts';
import { startOurs, type BenchServer } from './servers.ts';

const LARGE = 100_000;
const SMALL = 100;
const MOST_OF_LIST = 1.5;
const MOST_OF_READ = 3;
/** Of a reply that is not kept. */
const MOST_OF_OTHERS = 10;
const VERSION = { 'x-host-api-version': '2026-03-10' };
const ISSUES = '/repos/admin/bench/issues';
const FILTERS = [
  ['all', ''],
  ['with one label', '&labels=slow'],
  ['with one assignee', '&assignee=admin'],
] as const;
const SORTS = ['created', 'updated', 'comments'] as const;

export async function benchIssues(effort: Effort): Promise<Row[]> {
  // Ten lists: a first look measures each once.
  const short = effort.isQuick ? { rounds: 1, seconds: 1 } : effort;
  const [small, large] = [await startFilled(SMALL), await startFilled(LARGE)];
  try {
    const rows = [
      cpuRow('an issue', await compareWithBare(large.server, workOf(`${ISSUES}/1`), effort), {
        most: MOST_OF_READ,
      }),
      cpuRow(
        'a list of 30 issues',
        await compareWithBare(large.server, workOf(`${ISSUES}?per_page=30`), effort),
        { most: MOST_OF_READ },
      ),
      cpuRow(
        'an issue, another each time',
        await compareWithBare(large.server, workOf(otherIssue(LARGE)), effort),
        { most: MOST_OF_OTHERS },
      ),
      cpuRow(
        'a list of 30 issues, made anew',
        await compareWithBare(large.server, workOf(anew(`${ISSUES}?per_page=30`)), effort),
        { most: MOST_OF_OTHERS },
      ),
    ];
    for (const [what, query] of FILTERS)
      for (const sort of SORTS) {
        const work = workOf(anew(`${ISSUES}?per_page=50${query}&sort=${sort}`));
        const targets = [small, large].map(({ server }) => ({ server, work }));
        const name = `list 50 of ${LARGE} issues, ${what}, by ${sort}`;
        rows.push(listRow(name, `50 of ${SMALL}`, await compare(targets, short)));
      }
    const labeled = ['rare', 'slow,rare'].map((names) => ({
      server: large.server,
      work: workOf(anew(`${ISSUES}?per_page=50&labels=${names}`)),
    }));
    const name = `list 50 of ${LARGE} issues, with two labels`;
    rows.push(listRow(name, 'with the rarer one alone', await compare(labeled, short)));
    return rows;
  } finally {
    for (const { remove } of [small, large]) await remove();
  }
}

function listRow(what: string, against: string, [one, other]: Measured[]): Row {
  return {
    what,
    value: `${Math.round(other!.cpu)} µs of CPU, ${Math.round(other!.rate)}/s`,
    ratio: other!.times,
    against: `${against}, ${Math.round(one!.cpu)} µs, ${Math.round(one!.rate)}/s`,
    target: `≤ ${MOST_OF_LIST}`,
    isMet: other!.times <= MOST_OF_LIST,
  };
}

function workOf(path: Work['path']): Work {
  return { method: 'GET', path, headers: { ...hostHeaders, ...VERSION } };
}

/** More than are kept. */
function otherIssue(count: number): () => string {
  let number = 0;
  return () => `${ISSUES}/${(number = (number % (count - 7)) + 7)}`;
}

/** A parameter that means nothing makes every address another, so that no reply is kept for it. */
function anew(path: string): () => string {
  let calls = 0;
  return () => `${path}&call=${(calls += 1)}`;
}

interface FilledServer {
  server: BenchServer;
  remove(): Promise<void>;
}

async function startFilled(count: number): Promise<FilledServer> {
  const data = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
  const settings = { SIGNALBOX_DATA: data };
  const first = await startOurs(settings);
  const post = async (path: string, body: unknown) => {
    const reply = await fetch(`${first.url}${path}`, {
      method: 'POST',
      headers: hostHeaders,
      body: JSON.stringify(body),
    });
    if (!reply.ok) throw new Error(`POST ${path}: ${reply.status} ${await reply.text()}`);
  };
  await post('/user/repos', { name: 'bench' });
  const body = 'It takes longer than it should.\n\n'.repeat(10);
  await post(ISSUES, { title: 'It is slow', body, labels: ['slow'], assignees: ['admin'] });
  // Every hundredth has the second label too.
  await post(ISSUES, { title: 'It is slow here', body, labels: ['slow', 'rare'], assignees: ['admin'] });
  await first.stop();
  await copyIssues(data, count);
  const server = await startOurs(settings);
  return {
    server,
    async remove() {
      await server.stop();
      for (const path of [data, `${data}-work`]) rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Inserted directly: the API would take minutes. The copies of the two issues are in the same lists as these. */
async function copyIssues(data: string, count: number): Promise<void> {
  const { db, close } = await openCopy(data);
  const counted = sql`with recursive counted (n) as (select 3 union all select n + 1 from counted where n < ${count})`;
  const model = sql`case when n % 100 = 0 then 2 else 1 end`;
  for (const [table, own] of [
    ['issues', { id: sql`n`, number: sql`n` }],
    ['issue_facets', { issue_id: sql`n` }],
    ['issue_labels', { issue_id: sql`n` }],
    ['issue_assignees', { issue_id: sql`n` }],
  ] as const) {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)} limit 1`.execute(
      db,
    );
    const columns = Object.keys(rows[0]!);
    const values = columns.map((column) => {
      if (column in own) return (own as Record<string, unknown>)[column] as ReturnType<typeof sql>;
      if (column === 'created_at' || column === 'updated_at') return sql`${sql.ref(`model.${column}`)} + n`;
      return column === 'comment_count' ? sql`n % 50` : sql.ref(`model.${column}`);
    });
    const key = table === 'issues' ? sql`model.id` : sql`model.issue_id`;
    await sql`${counted} insert into ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))})
      select ${sql.join(values)} from counted join ${sql.table(table)} as model on ${key} = ${model}
      where ${key} in (1, 2)`.execute(db);
  }
  await sql`update repositories set last_issue_number = ${count}, open_issue_count = ${count}`.execute(db);
  await close();
}

async function openCopy(data: string) {
  const engine = await openSqlite({ file: join(data, 'signalbox.db') });
  return { db: engine.db, close: () => engine.close() };
}
