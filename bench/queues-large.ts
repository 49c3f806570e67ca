// Whether a lock takes as long in a queue of millions as in a small one.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { openSqlite } from '../src/kernel/storage/sqlite/sqlite.ts';
import { median } from './compare.ts';
import { call, headers, makeQueue } from './queue-calls.ts';
import { Connection } from './raw-http.ts';
import type { Row } from './report.ts';
import { startOurs } from './servers.ts';

const LARGE = 1_000_000;
const SMALL = 1000;

/** The time of a lock in a queue with a million pending and a million handled requests, against one with a thousand. */
export async function benchLarge({ rounds }: { rounds: number }): Promise<Row> {
  const data = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
  const settings = { SIGNALBOX_DATA: data };
  const first = await startOurs(settings);
  const [small, large] = [await makeQueue(first.url), await makeQueue(first.url)];
  await first.stop();
  await fillDirectly(data, small, SMALL);
  await fillDirectly(data, large, LARGE);
  const ours = await startOurs(settings);
  const connection = new Connection(ours.url, headers);
  const times: Record<'small' | 'large', number[]> = { small: [], large: [] };
  for (let turn = -50; turn < rounds * 50; turn += 1) {
    for (const [name, queue] of [
      ['small', small],
      ['large', large],
    ] as const) {
      const begun = performance.now();
      await call(connection, 'POST', `${queue}/head/lock?lockSecs=60&clientKey=bench`);
      if (turn >= 0) times[name].push(performance.now() - begun);
      await call(connection, 'POST', `${queue}/requests/unlock?clientKey=bench`);
    }
  }
  connection.close();
  await ours.stop();
  rmSync(data, { recursive: true, force: true });
  const [one, other] = [median(times.small), median(times.large)];
  return {
    what: 'lock among 1,000,000 pending and 1,000,000 handled',
    value: `${other.toFixed(2)} ms`,
    ratio: other / one,
    against: `among 1,000 each, ${one.toFixed(2)} ms`,
    target: '≤ 1.3',
    isMet: other / one <= 1.3,
  };
}

/** Inserted directly, because the API would take minutes: as many handled requests as pending ones. */
async function fillDirectly(data: string, path: string, count: number): Promise<void> {
  const engine = await openSqlite({ file: join(data, 'signalbox.db') });
  const id = path.split('/').at(-1)!;
  for (const isHandled of [0, 1]) {
    await sql`
      insert into queue_requests (queue_no, id, order_no, handled_at, lock_until, locked_by, head, rest)
      with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count})
      select no, substr(hex(randomblob(8)), 1, 15), case when ${isHandled} then null else i end,
        case when ${isHandled} then 1 end, 0, null,
        json_object('uniqueKey', 'key-' || i, 'url', 'https://example.com/' || i, 'method', 'GET', 'retryCount', 0),
        '{"userData":{"label":"DETAIL"}}'
      from n, request_queues where request_queues.id = ${id}`.execute(engine.db);
  }
  await sql`update request_queues set total = ${2 * count}, handled = ${count}, last_order = ${count} where id = ${id}`.execute(
    engine.db,
  );
  await engine.close();
}
