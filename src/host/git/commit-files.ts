// Commits changes of files to a branch: builds the changed trees, writes the objects, and moves the branch.
import { Failure } from '../../kernel/failure.ts';
import { parseCommit, type GitCommit, type GitPerson } from './commit-object.ts';
import {
  buildBlob,
  buildCommit,
  buildTree,
  type EntryMode,
  type NewObject,
  type NewTreeEntry,
} from './new-object.ts';
import type { GitRepository } from './repository.ts';
import { checkPath } from './revision.ts';
import { findInTree, type Tree, type TreeEntry } from './tree.ts';
import { updateRefs } from './update-refs.ts';
import { writeObjects } from './write-objects.ts';

export interface FileChange {
  path: string;
  /** Undefined removes the file. */
  content: Uint8Array | undefined;
}

export interface FilesCommit {
  /** The full name of the branch, such as `refs/heads/main`. */
  ref: string;
  /** The commit that the branch has; undefined where the branch is created. */
  parent: GitCommit | undefined;
  changes: readonly FileChange[];
  author: GitPerson;
  committer: GitPerson;
  message: string;
}

export interface CommittedFiles {
  commit: GitCommit;
  /** The ids of the new contents by path. */
  blobs: ReadonlyMap<string, string>;
}

/**
 * A file stays executable; a symbolic link becomes a file. Folders come with their first file and go with their last.
 * @throws {RefUpdateRefused} where the branch has changed meanwhile.
 */
export async function commitFiles(
  repository: GitRepository,
  { ref, parent, changes, author, committer, message }: FilesCommit,
): Promise<CommittedFiles> {
  const blobs = new Map<string, string>();
  const objects: NewObject[] = [];
  const located = changes.map(({ path, content }): LocatedChange => {
    const parts = checkPath(path);
    if (content === undefined) return { path, parts, blob: undefined };
    const blob = buildBlob(content);
    objects.push(blob);
    blobs.set(path, blob.oid);
    return { path, parts, blob: blob.oid };
  });
  const tree = await changeTree(repository, parent?.tree, located, 0, objects);
  const root = tree ?? addTree([], objects);
  const parents = parent === undefined ? [] : [parent.oid];
  const commit = buildCommit({ tree: root, parents, author, committer, message });
  await writeObjects(repository, [...objects, commit]);
  await updateRefs(repository, [{ name: ref, from: parent?.oid, to: commit.oid }]);
  return { commit: parseCommit(commit.oid, commit.bytes), blobs };
}

interface LocatedChange {
  path: string;
  parts: string[];
  /** Undefined removes the file. */
  blob: string | undefined;
}

/** Returns the id of the tree with the changes, or undefined where nothing is left in it. */
async function changeTree(
  repository: GitRepository,
  oid: string | undefined,
  changes: readonly LocatedChange[],
  depth: number,
  objects: NewObject[],
): Promise<string | undefined> {
  const tree = oid === undefined ? { oid: '', entries: [] } : await readTree(repository, oid);
  const byName = Map.groupBy(changes, ({ parts }) => parts[depth]!);
  // The replaced form of a name that is not UTF-8 may be that of another entry.
  const entries = tree.entries
    .filter(({ name, rawName }) => rawName !== undefined || !byName.has(name))
    .map(keptEntry);
  for (const [name, some] of byName) {
    const current = findInTree(tree, name);
    const entry = await changeEntry(repository, current, some, depth, objects);
    if (entry !== undefined) entries.push({ ...entry, name });
  }
  return entries.length === 0 ? undefined : addTree(entries, objects);
}

async function changeEntry(
  repository: GitRepository,
  current: TreeEntry | undefined,
  changes: readonly LocatedChange[],
  depth: number,
  objects: NewObject[],
): Promise<Pick<NewTreeEntry, 'mode' | 'oid'> | undefined> {
  const own = changes.filter(({ parts }) => parts.length === depth + 1);
  const below = changes.filter(({ parts }) => parts.length > depth + 1);
  if (own.length > 1) throw invalid(`${own[0]!.path} is changed twice in one commit.`);
  const [file] = own;
  if (file !== undefined) {
    if (current?.kind === 'tree') throw invalid(`${file.path} is a folder, not a file.`);
    if (current?.kind === 'commit') throw invalid(`${file.path} is a submodule, not a file.`);
    if (file.blob === undefined && current === undefined) throw invalid(`There is no file ${file.path}.`);
    if (file.blob !== undefined && below.length > 0)
      throw invalid(`${file.path} cannot be a file and a folder at once.`);
    if (file.blob !== undefined)
      return { mode: current?.mode === '100755' ? '100755' : '100644', oid: file.blob };
  } else if (current !== undefined && current.kind !== 'tree') {
    const [{ path, parts }] = below as [LocatedChange];
    const folder = parts.slice(0, depth + 1).join('/');
    throw invalid(`${path} cannot be changed, because ${folder} is not a folder.`);
  }
  if (below.length === 0) return undefined;
  const folder = current?.kind === 'tree' ? current.oid : undefined;
  const oid = await changeTree(repository, folder, below, depth + 1, objects);
  return oid === undefined ? undefined : { mode: '040000', oid };
}

async function readTree(repository: GitRepository, oid: string): Promise<Tree> {
  const tree = await repository.readTree(oid);
  if (tree === undefined) throw new Failure('internal', `The tree ${oid} cannot be read.`);
  return tree;
}

function addTree(entries: readonly NewTreeEntry[], objects: NewObject[]): string {
  const tree = buildTree(entries);
  objects.push(tree);
  return tree.oid;
}

function keptEntry(entry: TreeEntry): NewTreeEntry {
  return { mode: keptMode(entry), name: entry.rawName ?? entry.name, oid: entry.oid };
}

/** Old versions of git wrote further modes for files. */
function keptMode({ kind, mode }: TreeEntry): EntryMode {
  if (kind === 'blob') return (Number.parseInt(mode, 8) & 0o100) === 0 ? '100644' : '100755';
  return mode as EntryMode;
}

function invalid(message: string): Failure {
  return new Failure('invalid', message);
}
