// What an earlier backup in the same place has of the files that have not changed since: they are not read again.
import { DamagedBackup, type BackupWriter } from '../../kernel/backup/archive.ts';
import { readLines } from '../../kernel/backup/lines.ts';
import type { BackedUpBlob, BackedUpFile, BackupManifest, ObjectRef } from '../../kernel/backup/manifest.ts';
import { ScratchMap } from '../../kernel/storage/sqlite/scratch-map.ts';

export interface KnownRefs {
  /** Undefined where the file is to be read: it is new, may have changed, or is not in the place any more. */
  find(list: string, name: string, modifiedAt: number | undefined): Promise<ObjectRef | undefined>;
  close(): void;
}

/** A file that was changed so shortly before the earlier backup may have been changed again with the same time. */
const UNSURE_MS = 60_000;

export async function openKnownRefs(writer: BackupWriter): Promise<KnownRefs> {
  const known = new ScratchMap();
  try {
    await fill(known, writer);
  } catch (error) {
    known.close();
    // Everything is read, as without an earlier backup.
    if (!(error instanceof DamagedBackup)) throw error;
    return { find: () => Promise.resolve(undefined), close: () => {} };
  }
  return {
    async find(list, name, modifiedAt) {
      if (modifiedAt === undefined || writer.reuse === undefined) return undefined;
      const text = known.get(`${list}/${name}`);
      if (text === undefined) return undefined;
      const { ref, at } = JSON.parse(text) as { ref: ObjectRef; at: number };
      return at === modifiedAt && (await writer.reuse(ref)) ? ref : undefined;
    },
    close: () => known.close(),
  };
}

async function fill(known: ScratchMap, writer: BackupWriter): Promise<void> {
  const reader = await writer.previous?.();
  if (reader === undefined) return;
  const { createdAt, blobs, repositories } = (await reader.manifest()) as BackupManifest;
  const sureBefore = Date.parse(createdAt) - UNSURE_MS;
  const add = (name: string, { modifiedAt: at, ref }: { modifiedAt?: number; ref: ObjectRef }) => {
    if (at !== undefined && at < sureBefore) known.set(name, JSON.stringify({ ref, at }));
  };
  for (const part of blobs.parts)
    for (const { value } of await readLines(reader, part)) {
      const blob = value as BackedUpBlob;
      add(`/${blob.key}`, blob);
    }
  for (const part of repositories.parts)
    for (const { value } of await readLines(reader, part)) {
      const file = value as BackedUpFile;
      add(`repositories/${file.kind}/${file.number}/${file.path}`, file);
    }
}
