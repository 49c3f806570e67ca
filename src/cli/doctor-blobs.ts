// Doctor's checks of large objects: that they are reachable, that none is orphaned, and that their checksums match.
import { existsSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import { apis, migrations } from '../app/apis.ts';
import type { Config } from '../app/config.ts';
import { DamagedBlob } from '../kernel/storage/blobs/blob-checksum.ts';
import { fileBlobs, type BlobStore } from '../kernel/storage/blobs/blob.ts';
import type { Engine } from '../kernel/storage/engine.ts';
import { migrationStatus } from '../kernel/storage/migrate.ts';
import { findOrphans, type BlobKind } from '../kernel/storage/blobs/orphan-blobs.ts';
import { blobFolderOf, openBlobs } from '../app/open-stores.ts';
import { isBucket } from '../app/setting.ts';
import type { DoctorFinding } from './doctor.ts';
import { messageOf } from './command-errors.ts';
import { hasDatabase, withDatabase } from './open-database.ts';

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
