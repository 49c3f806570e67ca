// Copies a backup of a place into a single file, which is whole by itself.
import { LineWriter, readLines } from '../../kernel/backup/lines.ts';
import type { BackupReader, BackupWriter } from '../../kernel/backup/archive.ts';
import type { ObjectRef } from '../../kernel/backup/manifest.ts';
import { ScratchMap } from '../../kernel/storage/sqlite/scratch-map.ts';
import type { OpenBackup } from './places.ts';

export async function copyBackup({ reader, manifest }: OpenBackup, writer: BackupWriter): Promise<void> {
  const copied = new ScratchMap();
  const put = async (ref: ObjectRef): Promise<ObjectRef> => {
    const known = copied.get(ref.hash);
    if (known !== undefined) return JSON.parse(known) as ObjectRef;
    const own = await writer.put(() => reader.open(ref));
    copied.set(ref.hash, JSON.stringify(own));
    return own;
  };
  const putAll = async (refs: readonly ObjectRef[]) => {
    const own: ObjectRef[] = [];
    for (const ref of refs) own.push(await put(ref));
    return own;
  };
  try {
    const { tables, blobs, repositories, secretKey } = manifest;
    const { content } = secretKey;
    const ownTables = [];
    for (const table of tables) ownTables.push({ ...table, parts: await putAll(table.parts) });
    await writer.finish({
      ...manifest,
      tables: ownTables,
      blobs: { ...blobs, parts: await copyList(reader, writer, blobs.parts, put) },
      repositories: { ...repositories, parts: await copyList(reader, writer, repositories.parts, put) },
      secretKey: { ...secretKey, ...(content !== undefined && { content: await put(content) }) },
    });
  } finally {
    copied.close();
  }
}

/** Its lines say where the objects are, which is elsewhere in the copy. */
async function copyList(
  reader: BackupReader,
  writer: BackupWriter,
  parts: readonly ObjectRef[],
  put: (ref: ObjectRef) => Promise<ObjectRef>,
): Promise<ObjectRef[]> {
  const lines = new LineWriter(writer);
  for (const part of parts)
    for (const { value } of await readLines(reader, part)) {
      const entry = value as { ref: ObjectRef };
      await lines.add({ ...entry, ref: await put(entry.ref) });
    }
  await lines.end();
  return lines.parts;
}
