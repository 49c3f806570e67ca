// What doctor checks of large objects: that they can be reached, that no crash has left one that no record names, and that
// each is as it was written.
import { existsSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import { findOrphans } from '../actors/key-value-stores/purge.ts';
import { blobFolderOf, migrations, openBlobs } from '../app.ts';
import type { Config } from '../config.ts';
import { DamagedBlob } from '../kernel/storage/blob-checksum.ts';
import { fileBlobs, type BlobStore } from '../kernel/storage/blob.ts';
import type { Engine } from '../kernel/storage/engine.ts';
import { migrationStatus } from '../kernel/storage/migrate.ts';
import { isBucket } from '../setting.ts';
import type { Finding } from './doctor.ts';
import { messageOf } from './failing.ts';
import { hasDatabase, withDatabase } from './store.ts';

export async function checkBlobs(config: Config, now: number): Promise<Finding[]> {
  const name = 'large objects';
  const isThere = isBucket(config.blobs) || existsSync(blobFolderOf(config));
  if (!isThere || !hasDatabase(config)) return [];
  try {
    const blobs = await open(config);
    const orphans = await withDatabase(config, async (engine) => {
      if (!(await hasRecords(engine))) return [];
      return await Array.fromAsync(findOrphans(engine.db, blobs, now));
    });
    const left: Finding =
      orphans.length === 0
        ? { name, state: 'ok', detail: 'none left behind' }
        : {
            name,
            state: 'warn',
            detail: `${orphans.length} that no record names: delete them`,
            repair: () => removeOrphans(config, now),
          };
    return [left, await compareAll(blobs)];
  } catch (error) {
    return [{ name, state: 'fail', detail: messageOf(error) }];
  }
}

/** So many are named. */
const NAMED = 5;

/** Reads every one of them, one after the other: a piece at a time is in memory. */
async function compareAll(blobs: BlobStore): Promise<Finding> {
  const name = 'checksums';
  const damaged: string[] = [];
  let count = 0;
  for await (const { key } of blobs.list()) {
    count += 1;
    if (await isDamaged(blobs, key)) damaged.push(key);
  }
  if (damaged.length === 0)
    return { name, state: 'ok', detail: `${count} large objects are as they were written` };
  const more = damaged.length > NAMED ? `, and ${damaged.length - NAMED} more` : '';
  return {
    name,
    state: 'fail',
    detail:
      `${damaged.length} of ${count} large objects are damaged (${damaged.slice(0, NAMED).join(', ')}${more}): ` +
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

/** Without tidying up a folder: that is another check's to tell. */
async function open(config: Config): Promise<BlobStore> {
  return isBucket(config.blobs) ? await openBlobs(config) : fileBlobs(blobFolderOf(config));
}

/** Looks again: what was left behind a moment ago may have a name by now. */
function removeOrphans(config: Config, now: number): Promise<string> {
  return withDatabase(config, async ({ db }) => {
    const blobs = await open(config);
    let count = 0;
    for await (const orphan of findOrphans(db, blobs, now)) {
      await blobs.delete(orphan);
      count += 1;
    }
    return `${count} deleted`;
  });
}

async function hasRecords(engine: Engine): Promise<boolean> {
  const { applied } = await migrationStatus(engine, migrations);
  return applied.some(({ name }) => name === 'actors-key-value-stores');
}
