// Streams the files of a commit as an archive.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip, readableFrom } from '../../kernel/network/streams.ts';
import { Failure } from '../../kernel/failure.ts';
import { isUnsafeEntryName } from './refs/revision.ts';
import { streamGit, type GitTarget, splitRecords } from './git-target.ts';
import { checkedObjectId } from './objects/object-id.ts';
import { MAX_EXPANSION } from './objects/tree-expansion.ts';

export interface Archive {
  /** A commit: its time becomes that of the files. Or a tree. */
  tree: string;
  format: 'tar' | 'tar.gz' | 'zip';
  /** The folder that holds all files of the archive. */
  prefix: string;
}

const CHECK_TIMEOUT_MS = 60_000;
/** A slow client may take long to read. */
const STREAM_TIMEOUT_MS = 60 * 60_000;
const PREFIX = /^[\w-][\w.+-]*$/;

/**
 * Resolves when the archive can be made. The attributes `export-ignore` and `export-subst` of the files apply, as users of
 * `git archive` expect. Attributes run no program: filters and formats that are commands come from the configuration only.
 * Symbolic links stay what they are, as git stores them: the program that unpacks decides whether to follow them.
 */
export async function openArchive(
  target: GitTarget,
  { tree, format, prefix }: Archive,
): Promise<AsyncGenerator<Buffer, void, void>> {
  if (!PREFIX.test(prefix))
    throw new Failure('invalid', `${JSON.stringify(prefix)} cannot be the folder of an archive.`);
  await checkNames(target, tree);
  const args = ['archive', `--format=${format === 'zip' ? 'zip' : 'tar'}`, `--prefix=${prefix}/`];
  const output = streamGit(target, [...args, checkedObjectId(tree)], { timeoutMs: STREAM_TIMEOUT_MS });
  return format === 'tar.gz' ? compress(output) : output;
}

/**
 * All files of a commit or tree as they are, whatever their attributes say, as a tar without a folder around them.
 * `temporary` is an empty folder, in which git finds attributes of its own.
 */
export async function openWholeTree(
  target: GitTarget,
  tree: string,
  { temporary, signal }: { temporary: string; signal: AbortSignal },
): Promise<AsyncGenerator<Buffer, void, void>> {
  await checkNames(target, tree);
  for (const name of ['objects', 'refs', 'info']) await mkdir(join(temporary, name));
  await writeFile(join(temporary, 'HEAD'), 'ref: refs/heads/none\n');
  await writeFile(join(temporary, 'info', 'attributes'), '* !export-ignore !export-subst\n');
  const borrowing = { ...target, program: target.program, folder: temporary, alternates: [target.folder] };
  const args = ['archive', '--format=tar', checkedObjectId(tree)];
  return streamGit(borrowing, args, { timeoutMs: STREAM_TIMEOUT_MS, signal });
}

/** A tree that was made by hand may hold names that lead out of the folder where the archive is unpacked. */
async function checkNames(target: GitTarget, tree: string): Promise<void> {
  const args = ['ls-tree', '-r', '-t', '-z', '--full-tree', checkedObjectId(tree)];
  const output = streamGit(target, args, { timeoutMs: CHECK_TIMEOUT_MS });
  const links = new Set<string>();
  let entries = 0;
  for await (const record of splitRecords(output)) {
    entries += 1;
    if (entries > MAX_EXPANSION.entries)
      throw new Failure('invalid', `An archive can have at most ${MAX_EXPANSION.entries} files and folders.`);
    // Mode, type, id and path.
    const start = record.indexOf('\t') + 1;
    const path = record.toString('latin1', start);
    // An unpacker could write a second entry of the same name to where a link points.
    if (links.has(path) || path.split('/').some(isUnsafePart))
      throw new Failure(
        'invalid',
        `This tree cannot be archived, because its entry ${JSON.stringify(record.toString('utf8', start))} could be unpacked outside of its folder.`,
      );
    if (record.toString('latin1', 0, 6) === '120000') links.add(path);
  }
}

function isUnsafePart(part: string): boolean {
  // On Windows a backslash separates folders.
  return isUnsafeEntryName(Buffer.from(part, 'latin1')) || part.split('\\').includes('..');
}

/** In this process: git would run a program for it. */
async function* compress(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
  const gzip = createGzip();
  const written = pipeline(readableFrom(input), gzip);
  // An error of git also ends the loop below, which throws it.
  written.catch(() => {});
  try {
    for await (const chunk of gzip) yield chunk as Buffer;
  } finally {
    gzip.destroy();
    await written.catch(() => {});
  }
}
