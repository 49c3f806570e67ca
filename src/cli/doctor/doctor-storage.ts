// Doctor's checks of what is stored: connection, integrity, migrations and stuck leases of the database, and large objects that are unreachable, orphaned or missing.
import { existsSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import { migrations, apis } from '../../app/apis.ts';
import type { Config } from '../../app/config.ts';
import { countStuck, releaseStuck } from '../../kernel/jobs/due-store.ts';
import { checkEngine } from '../../kernel/storage/check-engine.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { migrationStatus } from '../../kernel/storage/migrate.ts';
import { DamagedBlob } from '../../kernel/storage/blobs/blob-checksum.ts';
import { fileBlobs, type BlobStore } from '../../kernel/storage/blobs/blob.ts';
import { findOrphans, type BlobKind } from '../../kernel/storage/blobs/orphan-blobs.ts';
import { blobFolderOf, openBlobs } from '../../app/data-places.ts';
import { isBucket } from '../../app/setting.ts';
import { listDiskSamples, diskUseMigrations } from '../../signalbox/system/disk-use-store.ts';
import { DISK_NODE, forecastSamples } from '../../signalbox/system/disk-use.ts';
import type { DoctorFinding } from './doctor.ts';
import { messageOf } from '../command-errors.ts';
import { hasDatabase, describeDatabase, withDatabase } from '../open-database.ts';

/** Workers poll every few seconds: work that is still leased by a dead worker after this long is stuck. */
const STUCK_MS = 60_000;

export async function checkDatabase(config: Config, now: number): Promise<DoctorFinding[]> {
  const name = 'database';
  const place = describeDatabase(config);
  if (!hasDatabase(config)) {
    return [{ name, state: 'warn', detail: `${place} is not there: the server makes it` }];
  }
  try {
    return await withDatabase(config, async (engine) => {
      await engine.ping();
      return [
        { name, state: 'ok', detail: place },
        ...(await checkEngine(engine)),
        await checkMigrations(engine),
        ...(await checkLeases(engine, config, now)),
        ...(await checkForecast(engine, now)),
      ];
    });
  } catch (error) {
    return [{ name, state: 'fail', detail: `${place}: ${messageOf(error)}` }];
  }
}

async function checkMigrations(engine: Engine): Promise<DoctorFinding> {
  const name = 'migrations';
  const { applied, pending, unknown, release, refusal } = await migrationStatus(engine, migrations);
  if (refusal !== undefined) return { name, state: 'fail', detail: refusal };
  if (pending.length > 0)
    return {
      name,
      state: 'warn',
      detail: `the database is of release ${release ?? 'none'}, ${pending.length} pending: the server applies them when it starts`,
    };
  const further = unknown.length > 0 ? `, ${unknown.length} of them of the newer release ${release}` : '';
  return {
    name,
    state: 'ok',
    detail: `release ${release}: ${applied.length} applied${further}, none pending`,
  };
}

const SOON_MS = 14 * 24 * 60 * 60 * 1000;

/** From what a server has measured on this machine while it ran. */
async function checkForecast(engine: Engine, now: number): Promise<DoctorFinding[]> {
  const { applied } = await migrationStatus(engine, migrations);
  if (!applied.some(({ name }) => name === diskUseMigrations[0]!.name)) return [];
  const forecasts = forecastSamples(await listDiskSamples(engine.db, DISK_NODE.name), now);
  return forecasts.map(({ names, bytesPerDay, fullAt }) => {
    const name = `forecast of ${names}`;
    const pace = `${(bytesPerDay / 1e9).toFixed(2)} GB more each day`;
    if (fullAt === undefined) return { name, state: 'ok', detail: `${pace}: not full within three years` };
    const day = new Date(fullAt).toISOString().slice(0, 10);
    return fullAt < now + SOON_MS
      ? { name, state: 'warn', detail: `${pace}: full on ${day}; keep less, or make room` }
      : { name, state: 'ok', detail: `${pace}: full on ${day}` };
  });
}

async function checkLeases(engine: Engine, config: Config, now: number): Promise<DoctorFinding[]> {
  const { applied } = await migrationStatus(engine, migrations);
  if (!applied.some(({ name }) => name === 'kernel-due')) return [];
  const name = 'leases';
  const stuck = await countStuck(engine.db, now - STUCK_MS);
  if (stuck === 0) return [{ name, state: 'ok', detail: 'none stuck' }];
  return [
    {
      name,
      state: 'warn',
      detail: `${stuck} held by workers that are gone: start a server to take up their work, or release them`,
      // The engine is closed by then.
      repair: () =>
        withDatabase(config, async (again) => `${await releaseStuck(again, now - STUCK_MS)} released`),
    },
  ];
}

export async function checkBlobs(config: Config, now: number): Promise<DoctorFinding[]> {
  const name = 'large objects';
  const exists = isBucket(config.blobs) || existsSync(blobFolderOf(config));
  if (!exists || !hasDatabase(config)) return [];
  try {
    const blobs = await openBlobStore(config);
    const orphans = await withDatabase(config, async (engine) =>
      Array.fromAsync(findOrphans(engine.db, blobs, await presentKinds(engine), now)),
    );
    const left: DoctorFinding =
      orphans.length === 0
        ? { name, state: 'ok', detail: 'none left behind' }
        : {
            name,
            state: 'warn',
            detail: `${orphans.length} that nothing refers to: delete them`,
            repair: () => removeOrphans(config, now),
          };
    return [left, await checkChecksums(blobs)];
  } catch (error) {
    return [{ name, state: 'fail', detail: messageOf(error) }];
  }
}

/** How many damaged objects are listed. */
const MAX_LISTED = 5;

/** Reads all objects one after the other, as streams. */
async function checkChecksums(blobs: BlobStore): Promise<DoctorFinding> {
  const name = 'checksums';
  const damaged: string[] = [];
  let count = 0;
  for await (const { key } of blobs.list()) {
    count += 1;
    if (await isDamaged(blobs, key)) damaged.push(key);
  }
  if (damaged.length === 0)
    return { name, state: 'ok', detail: `${count} large objects are as they were written` };
  const more = damaged.length > MAX_LISTED ? `, and ${damaged.length - MAX_LISTED} more` : '';
  return {
    name,
    state: 'fail',
    detail:
      `${damaged.length} of ${count} large objects are damaged (${damaged.slice(0, MAX_LISTED).join(', ')}${more}): ` +
      'take them from a backup, or write the records again, and check the disk',
  };
}

async function isDamaged(blobs: BlobStore, key: string): Promise<boolean> {
  try {
    const blob = await blobs.get(key);
    if (blob !== undefined) await finished(blob.stream().resume());
    return false;
  } catch (error) {
    if (error instanceof DamagedBlob) return true;
    throw error;
  }
}

/** Does not remove stale temporary files, which another check reports. */
async function openBlobStore(config: Config): Promise<BlobStore> {
  return isBucket(config.blobs) ? await openBlobs(config) : fileBlobs(blobFolderOf(config));
}

/** Searches again, because an orphan of a moment ago may be referred to by now. */
function removeOrphans(config: Config, now: number): Promise<string> {
  return withDatabase(config, async (engine) => {
    const blobs = await openBlobStore(config);
    let count = 0;
    for await (const orphan of findOrphans(engine.db, blobs, await presentKinds(engine), now)) {
      await blobs.delete(orphan);
      count += 1;
    }
    return `${count} deleted`;
  });
}

/** Of the tables that the database has: doctor also looks at one of an earlier release. */
async function presentKinds(engine: Engine): Promise<BlobKind[]> {
  const { applied } = await migrationStatus(engine, migrations);
  const names = new Set(applied.map(({ name }) => name));
  return apis.flatMap(({ blobKinds = [] }) => blobKinds.filter(({ migration }) => names.has(migration)));
}
