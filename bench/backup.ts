// Backups: how many bytes of large objects and rows one core copies and restores, and what a backup without changes costs. By CPU time: the machine may be busy.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrations } from '../src/app/apis.ts';
import { openBackupWriter } from '../src/app/backup/places.ts';
import { describeSource } from '../src/app/backup/backup-source.ts';
import { writeBackup } from '../src/app/backup/write-backup.ts';
import type { Config } from '../src/app/config.ts';
import { openBlobs } from '../src/app/data-places.ts';
import { openEngine } from '../src/app/open-stores.ts';
import { readSettings } from '../src/app/read-settings.ts';
import { run } from '../src/cli/fixture.ts';
import { migrate } from '../src/kernel/storage/migrate.ts';
import { startPostgres } from '../test/postgres.ts';
import type { Effort } from './compare.ts';
import { load } from './load.ts';
import { postgresCpuOf, postmasterOf } from './postgres-cpu.ts';
import type { Row } from './report.ts';
import { startOurs, TOKEN } from './servers.ts';

const MB = 1e6;
const BLOBS = 75;
const BLOB = 4 * 1024 ** 2;
/** More than the server backs up of them in a second. */
const BLOBS_A_SECOND = 150;
const CALLS_A_SECOND = 2000;
const ROWS = 200_000;
const ROWS_AT_ONCE = 5000;

export async function benchBackup(effort: Effort): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-backup-'));
  try {
    const blobs = configOf(join(folder, 'blobs'));
    await fillBlobs(blobs);
    const rows = configOf(join(folder, 'rows'));
    await fillRows(rows);
    // Code that has just been loaded is slow.
    await backUp(rows, join(folder, 'warm/'));
    const before = process.memoryUsage().rss;
    const file = await backUp(blobs, join(folder, 'blobs.backup'));
    const memory = process.memoryUsage().rss - before;
    const first = await backUp(blobs, `${join(folder, 'shared')}/`);
    // Files count as unchanged where they are a minute older than the backup before.
    await backUp(blobs, `${join(folder, 'shared')}/`, 120_000);
    const third = await backUp(blobs, `${join(folder, 'shared')}/`, 240_000);
    const rowsFile = await backUp(rows, join(folder, 'rows.backup'));
    const restored = await restore(join(folder, 'blobs.backup'), join(folder, 'restored'));
    const imported = await restore(join(folder, 'rows.backup'), join(folder, 'imported'));
    const { cpuMs, perSecond } = await importIntoPostgres(join(folder, 'rows.backup'), join(folder, 'moved'));
    const meanwhile = await measureCalls(blobs, effort);
    const bytes = BLOBS * BLOB;
    const rate = (what: string, perMs: number, unit: string, target: number): Row => ({
      what,
      value: `${Math.round(perMs * 1000)} ${unit} of CPU time`,
      against: unit === 'MB/s' ? `SHA-256 alone: ${Math.round(hashRate())} MB/s` : '',
      target: `≥ ${target}`,
      isMet: perMs * 1000 >= target,
    });
    const mb = bytes / MB;
    return [
      rate('large objects into a file', mb / file, 'MB/s', 150),
      rate('large objects into a folder', mb / first, 'MB/s', 150),
      rate('restore of large objects', mb / restored, 'MB/s', 100),
      rate('rows into a file, SQLite', ROWS / rowsFile, 'rows/s', 50_000),
      rate('restore of rows, SQLite', ROWS / imported, 'rows/s', 50_000),
      {
        ...rate('restore of rows, PostgreSQL', ROWS / cpuMs, 'rows/s', 30_000),
        against: `with the CPU time of the database; ${Math.round(perSecond)} rows/s by the clock`,
      },
      meanwhile,
      {
        what: 'a backup of large objects without changes',
        value: `${Math.round(third)} ms of CPU time`,
        ratio: third / first,
        against: `the first, ${Math.round(first)} ms`,
        target: '≤ 0.1',
        isMet: third / first <= 0.1,
      },
      {
        what: 'memory of a backup beside what was there',
        value: `${Math.round(memory / MB)} MB`,
        against: '',
        target: '≤ 100 MB',
        isMet: memory / MB <= 100,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function configOf(data: string): Config {
  return readSettings({ flags: { data }, env: {}, file: {} }).config;
}

async function addBlobs(config: Config, count: number): Promise<void> {
  const blobs = await openBlobs(config);
  for (let index = 0; index < count; index += 1) await blobs.put(`bench/${randomUUID()}`, randomBytes(BLOB));
}

async function fillBlobs(config: Config): Promise<void> {
  await addBlobs(config, BLOBS);
  const engine = await openEngine(config);
  await migrate(engine, migrations, 0);
  await engine.close();
}

async function fillRows(config: Config): Promise<void> {
  await openBlobs(config);
  const engine = await openEngine(config);
  await migrate(engine, migrations, 0);
  for (let start = 0; start < ROWS; start += ROWS_AT_ONCE)
    await engine.db
      .insertInto('actor_usage')
      .values(
        Array.from({ length: ROWS_AT_ONCE }, (_, index) => ({
          user_id: 'bench',
          day: start + index,
          service: 'compute units',
          quantity: index,
        })),
      )
      .execute();
  await engine.close();
}

/** In CPU time. */
async function backUp(config: Config, to: string, aheadMs = 0): Promise<number> {
  const engine = await openEngine(config);
  try {
    const begun = process.cpuUsage();
    const writer = await openBackupWriter(config, to, undefined);
    const createdAt = new Date(Date.now() + aheadMs).toISOString();
    const order = { id: `bench-${aheadMs}`, createdAt, withSecretKey: false };
    await writeBackup(config, await describeSource(engine), order, writer, () => {});
    return msSince(begun);
  } finally {
    await engine.close();
  }
}

async function restore(from: string, data: string): Promise<number> {
  const begun = process.cpuUsage();
  const { code, err } = await run(['restore', from, '--data', data]);
  if (code !== 0) throw new Error(err);
  return msSince(begun);
}

async function importIntoPostgres(from: string, data: string): Promise<{ cpuMs: number; perSecond: number }> {
  const postgres = await startPostgres();
  try {
    const postmaster = await postmasterOf(postgres.url);
    const begun = process.cpuUsage();
    const at = performance.now();
    const { result, cpuMs } = await postgresCpuOf(postmaster, () =>
      run(['restore', from, '--data', data, '--database', postgres.url]),
    );
    if (result.code !== 0) throw new Error(result.err);
    return { cpuMs: cpuMs + msSince(begun), perSecond: (ROWS * 1000) / (performance.now() - at) };
  } finally {
    await postgres.stop();
  }
}

/**
 * By the main thread, which answers calls: the backup has a thread of its own. As many calls in a second with it as without: a server
 * that gets fewer, because the client has to share its core with the backup, spends more on each.
 */
async function measureCalls(config: Config, { seconds }: Effort): Promise<Row> {
  await addBlobs(config, seconds * BLOBS_A_SECOND);
  const { data } = config;
  const server = await startOurs({ SIGNALBOX_DATA: data });
  const headers = { authorization: `Bearer ${TOKEN}` };
  const perCall = async () => {
    const before = mainThreadUs(server.pid);
    const begun = performance.now();
    const { rate } = await load(
      server,
      { method: 'GET', path: '/v2/users/me', headers },
      { connections: 8, seconds, callsPerSecond: CALLS_A_SECOND },
    );
    return (mainThreadUs(server.pid) - before) / ((rate * (performance.now() - begun)) / 1000);
  };
  try {
    await perCall();
    const quiet = await perCall();
    const made = await fetch(`${server.url}/signalbox/v1/backups`, { method: 'POST', headers });
    if (!made.ok) throw new Error(await made.text());
    const busy = await perCall();
    const { runs } = (await (await fetch(`${server.url}/signalbox/v1/backups`, { headers })).json()) as {
      runs: { state: string }[];
    };
    if (runs[0]?.state !== 'running') throw new Error('The backup was over before the calls.');
    return {
      what: 'a call while the server makes a backup',
      value: `${Math.round(busy)} µs of CPU time of the main thread`,
      ratio: busy / quiet,
      against: `without, ${Math.round(quiet)} µs; ${CALLS_A_SECOND} calls a second in both`,
      target: '≤ 1.5',
      isMet: busy / quiet <= 1.5,
    };
  } finally {
    await server.stop();
  }
}

function mainThreadUs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1000;
}

/** In MB/s, at the load of this moment: no copy with checksums is faster. */
function hashRate(): number {
  const bytes = randomBytes(BLOB);
  const begun = process.cpuUsage();
  for (let index = 0; index < 20; index += 1) createHash('sha256').update(bytes).digest();
  return (20 * BLOB) / MB / (msSince(begun) / 1000);
}

function msSince(begun: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1000;
}
