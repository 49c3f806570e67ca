// Lists of runs: fifty of a hundred thousand, against fifty of a hundred.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { openSqlite } from '../src/kernel/storage/sqlite/sqlite.ts';
import { compare, type Effort } from './compare.ts';
import { headers } from './queue-calls.ts';
import type { Row } from './report.ts';
import { ask, createActor, startRunServer, type RunServer } from './run-calls.ts';

const LARGE = 100_000;
const SMALL = 100;
const MOST = 1.5;

interface FilledServer {
  server: RunServer;
  actorId: string;
  remove(): Promise<void>;
}

/** On SQLite; by CPU time, which other programs do not affect. */
export async function benchLists(effort: Effort): Promise<Row[]> {
  const [small, large] = [await startFilled(SMALL), await startFilled(LARGE)];
  const rows: Row[] = [];
  for (const [what, path] of [
    ['your runs', () => '/v2/actor-runs'],
    ['runs of an Actor', ({ actorId }: FilledServer) => `/v2/actors/${actorId}/runs`],
  ] as const) {
    for (const desc of [0, 1]) {
      const targets = [small, large].map((filled) => ({
        server: filled.server,
        work: { method: 'GET', path: `${path(filled)}?limit=50&desc=${desc}`, headers },
      }));
      const [few, many] = await compare(targets, effort);
      rows.push({
        what: `list 50 of ${LARGE} ${what}, ${desc === 1 ? 'newest' : 'oldest'} first`,
        value: `${Math.round(many!.cpu)} µs of CPU, ${Math.round(many!.rate)}/s`,
        ratio: many!.times,
        against: `50 of ${SMALL}, ${Math.round(few!.cpu)} µs, ${Math.round(few!.rate)}/s`,
        target: `≤ ${MOST}`,
        isMet: many!.times <= MOST,
      });
    }
  }
  await small.remove();
  await large.remove();
  return rows;
}

async function startFilled(count: number): Promise<FilledServer> {
  const data = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
  const settings = { SIGNALBOX_DATA: data };
  const first = await startRunServer(settings);
  const { id: userId } = await ask<{ id: string }>(first.url, 'GET', '/v2/users/me');
  const actorId = await createActor(first.url, { 'main.js': '' });
  await first.stop();
  await fillDirectly(data, { userId, actorId, count });
  const server = await startRunServer(settings);
  const { total } = await ask<{ total: number }>(server.url, 'GET', `/v2/actors/${actorId}/runs?limit=1`);
  if (total !== count) throw new Error(`The list has ${total} runs instead of ${count}`);
  return {
    server,
    actorId,
    async remove() {
      await server.stop();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/** Inserted directly, because the API would take hours: as many runs again belong to others. */
async function fillDirectly(
  data: string,
  { userId, actorId, count }: { userId: string; actorId: string; count: number },
): Promise<void> {
  const engine = await openSqlite({ file: join(data, 'signalbox.db') });
  const meta = JSON.stringify({ origin: 'API', initiator: { memberId: userId } });
  const options = JSON.stringify({ build: 'latest', timeoutSecs: 3600, memoryMbytes: 128, diskMbytes: 256 });
  const stats = JSON.stringify({
    inputBodyLen: null,
    migrationCount: 0,
    rebootCount: 0,
    restartCount: 0,
    runTimeMs: 5,
  });
  for (const owner of ['someone-else', userId]) {
    await sql`
      insert into runs (id, actor_id, user_id, task_id, build_id, build_number, status, status_message, is_message_terminal,
        origin, meta, options, memory_mbytes, stats, exit_code, started_at, finished_at, timeout_at, dataset_id, store_id,
        queue_id, input_key, general_access, permission_level, charged_events, metamorphs, token_hash)
      with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count})
      select substr(hex(randomblob(9)), 1, 17), ${actorId}, ${owner}, null, 'build', '0.1.1', 'SUCCEEDED', 'Done', 0,
        'API', ${meta}, ${options}, 128, ${stats}, 0, 1700000000000 + i * 1000, 1700000000500 + i * 1000, null,
        hex(randomblob(8)), hex(randomblob(8)), hex(randomblob(8)), 'INPUT', 'FOLLOW_USER_SETTING', 'FULL_PERMISSIONS',
        '{}', '[]', null
      from n`.execute(engine.db);
  }
  for (const scope of [`user:${userId}`, `actor:${actorId}:${userId}`]) {
    await sql`insert into run_counts (scope, total) values (${scope}, ${count})`.execute(engine.db);
  }
  await engine.close();
}
