// What doctor checks of large objects: that they can be reached, and that no crash has left one that no record names.
import { existsSync } from 'node:fs';
import { findOrphans } from '../actors/key-value-stores/purge.ts';
import { blobFolderOf, migrations, openBlobs } from '../app.ts';
import type { Config } from '../config.ts';
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
    const orphans = await withDatabase(config, async (engine) => {
      if (!(await hasRecords(engine))) return [];
      return await Array.fromAsync(findOrphans(engine.db, await open(config), now));
    });
    if (orphans.length === 0) return [{ name, state: 'ok', detail: 'none left behind' }];
    return [
      {
        name,
        state: 'warn',
        detail: `${orphans.length} that no record names: delete them`,
        repair: () => removeOrphans(config, now),
      },
    ];
  } catch (error) {
    return [{ name, state: 'fail', detail: messageOf(error) }];
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
