// Compares what a copy has put in place with what it is a copy of: counts, and checksums of what is read back.
import type { Config } from '../../app/config.ts';
import { openBlobs, repositoriesFolderOf } from '../../app/data-places.ts';
import { listRepositoryFiles } from '../../host/git/backup-files.ts';
import { verified, type BackupReader, type ByteStream } from '../../kernel/backup/archive.ts';
import { LineChecksum, readLines } from '../../kernel/backup/lines.ts';
import type {
  BackedUpBlob,
  BackedUpFile,
  BackupManifest,
  BackupTable,
  ObjectRef,
} from '../../kernel/backup/manifest.ts';
import { Failure } from '../../kernel/failure.ts';
import type { DatabaseLoader } from '../../kernel/storage/copy/copied-table.ts';
import type { Progress } from '../progress.ts';

/** Before later migrations change them. */
export async function compareRows(
  loader: DatabaseLoader,
  table: BackupTable,
  progress: Progress,
): Promise<void> {
  const sum = new LineChecksum();
  let done = 0;
  for await (const batch of loader.rows(table)) {
    for (const row of batch) sum.add(JSON.stringify(row));
    done += batch.length;
    progress.update(`comparing rows of ${table.name}`, { done, total: table.rows });
  }
  if (done !== table.rows || sum.digest() !== table.checksum) throw differs(`The rows of ${table.name}`);
}

export async function compareObjects(
  config: Config,
  { reader, manifest }: { reader: BackupReader; manifest: BackupManifest },
  progress: Progress,
): Promise<void> {
  const blobs = await openBlobs(config);
  let done = 0;
  for await (const { key, ref } of entriesOf<BackedUpBlob>(reader, manifest.blobs.parts)) {
    const blob = await blobs.get(key);
    const name = `The large object ${key}`;
    if (blob === undefined) throw differs(name);
    await compareBytes(blob.stream() as AsyncIterable<Uint8Array>, ref, name);
    progress.update('comparing large objects', { done: (done += 1), total: manifest.blobs.count });
  }
  if (done !== manifest.blobs.count) throw differs('The list of large objects');
  await compareRepositories(config, { reader, manifest }, progress);
}

/** The files of a repository follow one another. */
async function compareRepositories(
  config: Config,
  { reader, manifest: { repositories } }: { reader: BackupReader; manifest: BackupManifest },
  progress: Progress,
): Promise<void> {
  const root = repositoriesFolderOf(config);
  let done = 0;
  let place = '';
  let files = new Map<string, () => ByteStream>();
  for await (const { kind, number, path, ref } of entriesOf<BackedUpFile>(reader, repositories.parts)) {
    if (place !== `${kind}/${number}`) {
      place = `${kind}/${number}`;
      files = new Map();
      for await (const file of listRepositoryFiles(root, kind, number)) files.set(file.path, file.open);
    }
    const name = `The file ${path} of ${kind || 'repositories'}/${number}`;
    const open = files.get(path);
    if (open === undefined) throw differs(name);
    await compareBytes(open(), ref, name);
    progress.update('comparing files of repositories', { done: (done += 1), total: repositories.count });
  }
  if (done !== repositories.count) throw differs('The list of repositories');
}

async function* entriesOf<Entry>(
  reader: BackupReader,
  parts: readonly ObjectRef[],
): AsyncGenerator<Entry, void, void> {
  for (const part of parts) for (const { value } of await readLines(reader, part)) yield value as Entry;
}

async function compareBytes(bytes: ByteStream, ref: ObjectRef, name: string): Promise<void> {
  try {
    for await (const _ of verified(bytes, ref));
  } catch (error) {
    throw differs(name, error);
  }
}

function differs(what: string, cause?: unknown): Failure {
  return new Failure('conflict', `${what} did not arrive as it was sent: check the disk`, { cause });
}
