// Reads every byte of a backup, and names what is broken.
import type { BackupReader } from '../../kernel/backup/archive.ts';
import { LineChecksum, readLines } from '../../kernel/backup/lines.ts';
import type { BackedUpBlob, BackedUpFile, ObjectRef } from '../../kernel/backup/manifest.ts';
import type { OpenBackup } from './places.ts';

/** One sentence for each. `report` gets what is being read, and how many bytes were. */
export async function* findBroken(
  { reader, manifest: { tables, blobs, repositories, secretKey } }: OpenBackup,
  report: (text: string, bytesRead: number) => void,
): AsyncGenerator<string, void, void> {
  const progress = { bytes: 0, update: (text: string) => report(text, progress.bytes) };
  for (const { name, rows, checksum, parts } of tables) {
    progress.update(`rows of ${name}`);
    const sum = new LineChecksum();
    let count = 0;
    const found = yield* attempt(`The rows of ${name}`, async () => {
      for (const part of parts)
        for (const { line } of await readLines(reader, part)) {
          sum.add(line);
          count += 1;
        }
    });
    if (found && (count !== rows || sum.digest() !== checksum))
      yield `The rows of ${name}: there are ${count} instead of ${rows}, or they differ.`;
  }
  yield* listed(reader, blobs, (line) => `The large object ${(line as BackedUpBlob).key}`, progress);
  yield* listed(reader, repositories, (line) => nameOfFile(line as BackedUpFile), progress);
  if (secretKey.content !== undefined)
    yield* attempt('The secret key', () => readAll(reader, secretKey.content!));
}

interface ReadProgress {
  bytes: number;
  update(text: string): void;
}

async function* listed(
  reader: BackupReader,
  { count, parts }: { count: number; parts: readonly ObjectRef[] },
  nameOf: (line: unknown) => string,
  progress: ReadProgress,
): AsyncGenerator<string, void, void> {
  let found = 0;
  for (const part of parts) {
    let lines: { value: unknown }[] = [];
    yield* attempt('A list', async () => void (lines = await readLines(reader, part)));
    for (const { value } of lines) {
      found += 1;
      const { ref } = value as { ref: ObjectRef };
      progress.update(`${nameOf(value)}, ${found} of ${count}`);
      yield* attempt(nameOf(value), () => readAll(reader, ref));
      progress.bytes += ref.size;
    }
  }
  if (found !== count) yield `A list has ${found} entries instead of ${count}.`;
}

function nameOfFile({ kind, number, path }: BackedUpFile): string {
  return `The file ${path} of ${kind || 'repositories'}/${number}`;
}

async function* attempt(name: string, work: () => Promise<void>): AsyncGenerator<string, boolean, void> {
  try {
    await work();
    return true;
  } catch (error) {
    yield `${name}: ${error instanceof Error ? error.message : String(error)}.`;
    return false;
  }
}

async function readAll(reader: BackupReader, ref: ObjectRef): Promise<void> {
  for await (const _ of reader.open(ref));
}
