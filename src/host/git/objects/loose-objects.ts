// Writes loose objects as git does: compressed, to a temporary file that becomes the object when it is on the disk. ADR 0163.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rename, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import { Failure } from '../../../kernel/failure.ts';
import { PRIVATE_FOLDER } from '../../../kernel/storage/disk/private-files.ts';
import { syncFolder } from '../../../kernel/storage/disk/sync-folder.ts';
import { asStorageFailure } from '../../../kernel/storage/storage-failure.ts';
import { compressObject } from './compress-object.ts';
import type { NewObject } from './new-object.ts';

/** As git writes them: nobody changes an object. */
export const OBJECT_MODE = 0o444;
/** As git compresses them: the next maintenance packs them better. */
export const LOOSE_LEVEL = 1;
const inflateOnThread = promisify(inflate);

/** Where an object is, from the folder of all objects on. */
export function looseFileOf(oid: string): string {
  return join(oid.slice(0, 2), oid.slice(2));
}

/** The header of a loose object, and its content. */
export function looseContent({ type, bytes }: Pick<NewObject, 'type' | 'bytes'>): Buffer {
  return Buffer.concat([Buffer.from(`${type} ${bytes.length}\0`), bytes]);
}

/**
 * The other objects that these refer to must exist. Durable once resolved, with their names. After a crash none is there
 * without those that it refers to.
 */
export async function writeLooseObjects(folder: string, objects: readonly NewObject[]): Promise<void> {
  const temporary = new Map<NewObject, string>();
  try {
    const folders = new Set(objects.map(({ oid }) => oid.slice(0, 2)));
    const isNew = await Promise.all([...folders].map((name) => createFolder(join(folder, name))));
    const written = await Promise.allSettled(
      objects.map(async (object) => {
        const content = looseContent(object);
        if (await freshen(join(folder, looseFileOf(object.oid)), content)) return;
        // Maintenance deletes what a crash leaves under such a name.
        const name = join(folder, object.oid.slice(0, 2), `tmp_obj_${randomBytes(8).toString('hex')}`);
        temporary.set(object, name);
        await writeSynced(name, await compressObject(content, LOOSE_LEVEL));
      }),
    );
    const failed = written.find(({ status }) => status === 'rejected');
    if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
    const changed = new Set(isNew.includes(true) ? [folder] : []);
    for (const object of referredFirst(objects)) {
      const name = temporary.get(object);
      if (name === undefined) continue;
      await rename(name, join(folder, looseFileOf(object.oid)));
      temporary.delete(object);
      changed.add(join(folder, object.oid.slice(0, 2)));
    }
    await Promise.all([...changed].map(syncFolder));
  } catch (error) {
    for (const name of temporary.values()) await rm(name, { force: true });
    throw asStorageFailure(error);
  }
}

function referredFirst(objects: readonly NewObject[]): Set<NewObject> {
  const byId = new Map(objects.map((object) => [object.oid, object]));
  const ordered = new Set<NewObject>();
  const add = (object: NewObject) => {
    if (ordered.has(object)) return;
    for (const { oid } of object.links ?? []) {
      const other = byId.get(oid);
      if (other !== undefined) add(other);
    }
    ordered.add(object);
  };
  for (const object of objects) add(object);
  return ordered;
}

/** Whether it is new. Most are there. */
export async function createFolder(folder: string): Promise<boolean> {
  if (existsSync(folder)) return false;
  return (await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER })) !== undefined;
}

async function writeSynced(file: string, bytes: Buffer): Promise<void> {
  const handle = await open(file, 'wx', OBJECT_MODE);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * An object that nothing refers to expires by the time of its file, so that one that is needed again becomes new.
 * False where there is none.
 */
async function freshen(file: string, content: Buffer): Promise<boolean> {
  // For an absent file, this is cheaper than an exception.
  if (!existsSync(file)) return false;
  try {
    const now = new Date();
    await utimes(file, now, now);
  } catch {
    // It was just packed, or belongs to another user: then it is replaced.
    return false;
  }
  // A damaged file is replaced, too.
  const options = { maxOutputLength: content.length + 1 };
  const current = await inflateOnThread(await readFile(file), options).catch(() => undefined);
  if (current === undefined) return false;
  if (!current.equals(content))
    throw new Failure('conflict', 'Another object of the repository has the same id and other content.');
  return true;
}
