// The rows of a backup, into a database that appears whole: with the tables of the release that made it, then with those of this one.
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { migrations } from '../../app/apis.ts';
import type { OpenBackup } from '../../app/backup/places.ts';
import type { Config } from '../../app/config.ts';
import { openEngine } from '../../app/open-stores.ts';
import { DamagedBackup } from '../../kernel/backup/archive.ts';
import { insertPause } from '../../kernel/backup/backup-store.ts';
import { readLines } from '../../kernel/backup/lines.ts';
import type { BackupManifest, BackupTable } from '../../kernel/backup/manifest.ts';
import type { CopiedRow, DatabaseLoader } from '../../kernel/storage/copy/copied-table.ts';
import { passCheckpoint } from '../../kernel/jobs/checkpoint.ts';
import { loadPostgres, requireEmptyDatabase } from '../../kernel/storage/copy/postgres-copy.ts';
import { loadSqlite } from '../../kernel/storage/copy/sqlite-copy.ts';
import { syncFolder } from '../../kernel/storage/disk/sync-folder.ts';
import { migrate, migrateIn } from '../../kernel/storage/migrate.ts';
import { openSqlite } from '../../kernel/storage/sqlite/sqlite.ts';
import type { Progress } from '../progress.ts';
import { compareRows } from './compare-copy.ts';

export interface RowsJob extends OpenBackup {
  /** Whether all is read back at the end and compared with what was written. */
  options: { compare?: boolean };
}

/** Its checkpoints: between any two of them a process may be killed. */
export const RESTORE = 'restore';

/** The database until it is complete. */
export function stagedFile(data: string): string {
  return join(data, 'signalbox.db.restoring');
}

export async function restoreSqlite(data: string, backup: RowsJob, progress: Progress): Promise<void> {
  const { manifest } = backup;
  const file = stagedFile(data);
  const empty = await openSqlite({ file });
  try {
    await migrate(empty, knownTo(manifest), Date.now());
  } finally {
    await empty.close();
  }
  await loadSqlite(file, manifest.tables, (loader) => loadRows(loader, backup, progress));
  const engine = await openSqlite({ file });
  try {
    await migrate(engine, migrations, Date.now());
    await insertPause(engine.db, pauseOf(manifest));
  } finally {
    await engine.close();
  }
  passCheckpoint(RESTORE);
  renameSync(file, join(data, 'signalbox.db'));
  passCheckpoint(RESTORE);
  await syncFolder(data);
}

export async function requireEmptyPostgres(config: Config): Promise<void> {
  const engine = await openEngine(config);
  try {
    await requireEmptyDatabase(engine.db);
  } finally {
    await engine.close();
  }
}

export async function restorePostgres(config: Config, backup: RowsJob, progress: Progress): Promise<void> {
  const { manifest } = backup;
  const engine = await openEngine(config);
  try {
    await engine.db.transaction().execute(async (tx) => {
      await requireEmptyDatabase(tx);
      await migrateIn(tx, engine.kind, knownTo(manifest), Date.now());
      await loadPostgres(tx, manifest.tables, (loader) => loadRows(loader, backup, progress));
      await migrateIn(tx, engine.kind, migrations, Date.now());
      await insertPause(tx, pauseOf(manifest));
    });
  } finally {
    await engine.close();
  }
}

async function loadRows(
  loader: DatabaseLoader,
  { reader, manifest, options }: RowsJob,
  progress: Progress,
): Promise<void> {
  const total = manifest.tables.reduce((sum, { rows }) => sum + rows, 0);
  let done = 0;
  for (const table of manifest.tables) {
    progress.update(`rows of ${table.name}`, { done, total });
    done += table.rows;
    for (const part of table.parts) {
      const lines = await readLines(reader, part);
      for (let start = 0; start < lines.length; start += ROWS_AT_ONCE) {
        const rows = lines.slice(start, start + ROWS_AT_ONCE).map(({ value }) => requireRow(table, value));
        await loader.insert(table, rows);
        passCheckpoint(RESTORE);
      }
    }
    const count = await loader.count(table);
    if (count !== table.rows)
      throw new DamagedBackup(
        `${table.name} has ${count} rows instead of ${table.rows}: use another backup.`,
      );
    if (options.compare === true) await compareRows(loader, table, progress);
  }
}

function requireRow({ name, columns }: BackupTable, value: unknown): CopiedRow {
  const isValue = (one: unknown) => one === null || typeof one === 'string' || typeof one === 'number';
  if (Array.isArray(value) && value.length === columns.length && value.every(isValue)) return value;
  throw new DamagedBackup(`A line of ${name} is no row of ${columns.length} values: use another backup.`);
}

const ROWS_AT_ONCE = 1000;

/** With the tables of the release that made the backup; those of this one are made from them. */
function knownTo({ migrations: names }: BackupManifest) {
  const wanted = new Set(names);
  return migrations.filter(({ name }) => wanted.has(name));
}

function pauseOf({ id, createdAt }: BackupManifest) {
  return { backup: id, madeAt: createdAt, since: Date.now() };
}
