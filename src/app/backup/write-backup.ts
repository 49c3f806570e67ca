// Writes a backup: rows in one snapshot, then large objects and repositories, which nothing deletes meanwhile. ADR 0166.
import { join } from 'node:path';
import { BACKED_UP_REPOSITORIES, listRepositoryFiles } from '../../host/git/backup-files.ts';
import type { BackupWriter } from '../../kernel/backup/archive.ts';
import { LineWriter } from '../../kernel/backup/lines.ts';
import {
  BACKUP_FORMAT,
  type BackupManifest,
  type BackupTable,
  type ObjectRef,
} from '../../kernel/backup/manifest.ts';
import { Failure } from '../../kernel/failure.ts';
import {
  BLOB_PART_BYTES,
  Checksum,
  checksumOfHash,
  DamagedBlob,
} from '../../kernel/storage/blobs/blob-checksum.ts';
import type { BlobStore, UncheckedBlob } from '../../kernel/storage/blobs/blob.ts';
import type { DatabaseSnapshot } from '../../kernel/storage/copy/copied-table.ts';
import { withSqliteSnapshot } from '../../kernel/storage/copy/sqlite-copy.ts';
import type { Config } from '../config.ts';
import type { BackupSource } from './backup-source.ts';
import { openBlobs, repositoriesFolderOf } from '../data-places.ts';
import { RELEASE } from '../release.ts';
import { readExistingKeys } from '../secret-keys.ts';
import { openKnownRefs, type KnownRefs } from './known-refs.ts';

export interface BackupOrder {
  id: string;
  createdAt: string;
  withSecretKey: boolean;
  isRowsOnly?: boolean;
}

/** What has been read so far. */
export interface BackupProgress {
  step: 'rows' | 'large objects' | 'repositories';
  text: string;
  bytesRead: number;
}

export type ReportProgress = (progress: BackupProgress) => void;

export async function writeBackup(
  config: Config,
  source: BackupSource,
  order: BackupOrder,
  writer: BackupWriter,
  report: ReportProgress,
): Promise<BackupManifest> {
  const { id, createdAt, withSecretKey, isRowsOnly = false } = order;
  const numbers = new Map<string, number[]>(BACKED_UP_REPOSITORIES.map(({ table }) => [table, []]));
  const key = withSecretKey ? (await readExistingKeys(config))?.join('\n') : undefined;
  const tables = await withSnapshot(config, (snapshot) => writeTables(snapshot, writer, numbers, report));
  const known = isRowsOnly ? undefined : await openKnownRefs(writer);
  try {
    const manifest: BackupManifest = {
      format: BACKUP_FORMAT,
      id,
      createdAt,
      release: RELEASE,
      ...(isRowsOnly && { isRowsOnly }),
      engine: source.engine,
      migrations: source.migrations,
      tables,
      blobs:
        known === undefined ? NOTHING : await writeBlobs(await openBlobs(config), { writer, known, report }),
      repositories:
        known === undefined
          ? { ...NOTHING, repositories: 0 }
          : await writeRepositories(repositoriesFolderOf(config), numbers, { writer, known, report }),
      secretKey: {
        ...(source.fingerprint !== undefined && { fingerprint: source.fingerprint }),
        ...(key !== undefined && { content: await writer.put(() => [Buffer.from(key)]) }),
      },
    };
    await writer.finish(manifest);
    return manifest;
  } finally {
    known?.close();
  }
}

const NOTHING = { count: 0, bytes: 0, parts: [] };

async function withSnapshot<T>(config: Config, work: (snapshot: DatabaseSnapshot) => Promise<T>): Promise<T> {
  if (config.database === undefined) return await withSqliteSnapshot(join(config.data, 'signalbox.db'), work);
  // The client of PostgreSQL is most of what a thread would load.
  const { openPostgres } = await import('../../kernel/storage/postgres/postgres.ts');
  const { withPostgresSnapshot } = await import('../../kernel/storage/copy/postgres-copy.ts');
  const engine = await openPostgres({ url: config.database });
  try {
    return await withPostgresSnapshot(engine, work);
  } finally {
    await engine.close();
  }
}

async function writeTables(
  { tables, rows }: DatabaseSnapshot,
  writer: BackupWriter,
  numbers: ReadonlyMap<string, number[]>,
  report: ReportProgress,
): Promise<BackupTable[]> {
  const written: BackupTable[] = [];
  let count = 0;
  for (const table of tables) {
    const lines = new LineWriter(writer);
    const found = numbers.get(table.name);
    const column = table.columns.findIndex(({ name }) => name === 'number');
    for await (const batch of rows(table)) {
      for (const row of batch) {
        await lines.add(row);
        found?.push(row[column] as number);
      }
      count += batch.length;
      report({ step: 'rows', text: `${count} rows, in ${table.name}`, bytesRead: writer.written });
    }
    const checksum = await lines.end();
    written.push({ ...table, rows: lines.count, checksum, parts: lines.parts });
  }
  return written;
}

interface FileCopy {
  writer: BackupWriter;
  known: KnownRefs;
  report: ReportProgress;
}

async function writeBlobs(blobs: BlobStore, { writer, known, report }: FileCopy) {
  const lines = new LineWriter(writer);
  let bytes = 0;
  for await (const { key, modifiedAt } of blobs.list()) {
    const ref = (await known.find('', key, modifiedAt)) ?? (await putBlob(blobs, key, writer));
    bytes += ref.size;
    await lines.add({ key, modifiedAt, ref });
    report({ step: 'large objects', text: `${lines.count} large objects, ${inMb(bytes)}`, bytesRead: bytes });
  }
  await lines.end();
  return { count: lines.count, bytes, parts: lines.parts };
}

async function putBlob(blobs: BlobStore, key: string, writer: BackupWriter): Promise<ObjectRef> {
  const gone = () => new Failure('not-found', `The large object ${key} is gone: back up again.`);
  if (blobs.getUnchecked === undefined)
    return await writer.put(async () => {
      const blob = await blobs.get(key);
      if (blob === undefined) throw gone();
      return blob.stream() as AsyncIterable<Uint8Array>;
    });
  let checksum: string | undefined;
  let ofParts: Checksum | undefined;
  const ref = await writer.put(async () => {
    const blob = await blobs.getUnchecked!(key);
    if (blob === undefined) throw gone();
    ({ checksum } = blob);
    ofParts = isHashedInParts(blob) ? new Checksum() : undefined;
    return ofParts === undefined ? blob.pieces() : summed(blob.pieces(), ofParts);
  });
  // The archive has hashed the bytes: once is enough where the checksum of the blob is that hash.
  const found = ofParts?.digest() ?? checksumOfHash(ref.hash, ref.size);
  if (checksum !== undefined && found !== checksum) throw new DamagedBlob(key);
  return ref;
}

function isHashedInParts({ size, checksum }: UncheckedBlob): boolean {
  return checksum !== undefined && size > BLOB_PART_BYTES;
}

async function* summed(
  bytes: AsyncIterable<Uint8Array>,
  sum: Checksum,
): AsyncGenerator<Uint8Array, void, void> {
  for await (const piece of bytes) {
    sum.update(piece);
    yield piece;
  }
}

async function writeRepositories(
  root: string,
  numbers: ReadonlyMap<string, number[]>,
  { writer, known, report }: FileCopy,
) {
  const lines = new LineWriter(writer);
  const shared = new Map<string, ObjectRef>();
  let bytes = 0;
  let repositories = 0;
  for (const { table, kind } of BACKED_UP_REPOSITORIES) {
    for (const number of numbers.get(table)!) {
      let isThere = false;
      for await (const { path, inode, modifiedAt, open } of listRepositoryFiles(root, kind, number)) {
        isThere = true;
        const name = `${kind}/${number}/${path}`;
        const ref =
          (inode === undefined ? undefined : shared.get(inode)) ??
          (await known.find('repositories', name, modifiedAt)) ??
          (await writer.put(open));
        if (inode !== undefined) shared.set(inode, ref);
        bytes += ref.size;
        await lines.add({ kind, number, path, ...(modifiedAt !== undefined && { modifiedAt }), ref });
      }
      repositories += Number(isThere);
      report({
        step: 'repositories',
        text: `${repositories} repositories, ${inMb(bytes)}`,
        bytesRead: bytes,
      });
    }
  }
  await lines.end();
  return { count: lines.count, bytes, parts: lines.parts, repositories };
}

function inMb(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}
