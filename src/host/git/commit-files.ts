// Commits changes of files to a branch: builds the changed trees, writes the objects, and moves the branch.
import { Failure } from '../../kernel/failure.ts';
import { parseCommit, type GitCommit, type GitPerson } from './objects/commit-object.ts';
import { editTree, type TreeEdit } from './objects/edit-tree.ts';
import { buildBlob, buildCommit, type NewObject } from './objects/new-object.ts';
import type { StoredFile } from './objects/write-large-blob.ts';
import type { GitRepository } from './repository.ts';
import { checkPath } from './refs/revision.ts';
import type { TreeEntry } from './objects/tree.ts';
import { updateRefs, type RefUpdate } from './refs/update-refs.ts';
import { writeObjects } from './objects/write-objects.ts';

export interface FileChange {
  path: string;
  /** Undefined removes the file. A stored one is a blob of the repository already. */
  content: Uint8Array | StoredFile | undefined;
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
  /** Throws where the branch must not be changed so. Until then nothing is written. */
  check?: (update: RefUpdate) => Promise<void>;
}

export interface CommittedFiles {
  commit: GitCommit;
  /** The ids of the new contents by path. */
  blobs: ReadonlyMap<string, string>;
}

/**
 * `move` moves the branch, where more has to be done than that. A file stays executable; a symbolic link becomes a file. Folders come with their first file and go with their last.
 * @throws {RefUpdateRefused} where the branch has changed meanwhile.
 */
export async function commitFiles(
  repository: GitRepository,
  { ref, parent, changes, author, committer, message, check }: FilesCommit,
  move: (updates: RefUpdate[]) => Promise<void> = (updates) => updateRefs(repository, updates),
): Promise<CommittedFiles> {
  const blobs = new Map<string, string>();
  const objects: NewObject[] = [];
  const edits: TreeEdit[] = [];
  const removed = new Set(changes.filter(({ content }) => content === undefined).map(({ path }) => path));
  for (const { path, content } of changes) {
    const current = await findFile(repository, parent, path, removed);
    if (content === undefined) {
      if (current === undefined) throw invalid(`There is no file ${path}.`);
      edits.push({ path, entry: undefined });
      continue;
    }
    const mode = current?.mode === '100755' ? '100755' : '100644';
    const oid = 'oid' in content ? content.oid : addBlob(objects, content);
    blobs.set(path, oid);
    edits.push({ path, entry: { mode, oid } });
  }
  const root = await editTree(repository, parent?.tree, edits, objects);
  const parents = parent === undefined ? [] : [parent.oid];
  const commit = buildCommit({ tree: root, parents, author, committer, message });
  const update = { name: ref, from: parent?.oid, to: commit.oid };
  await check?.(update);
  await writeObjects(repository, [...objects, commit]);
  await move([update]);
  return { commit: parseCommit(commit.oid, commit.bytes), blobs };
}

function addBlob(objects: NewObject[], content: Uint8Array): string {
  const blob = buildBlob(content);
  objects.push(blob);
  return blob.oid;
}

/** Throws where the path leads through a file, unless the same commit removes it, or where something else is at its end. */
async function findFile(
  repository: GitRepository,
  parent: GitCommit | undefined,
  path: string,
  removed: ReadonlySet<string>,
): Promise<TreeEntry | undefined> {
  const parts = checkPath(path);
  let entry: TreeEntry | undefined;
  for (let depth = 1; parent !== undefined && depth <= parts.length; depth += 1) {
    const at = parts.slice(0, depth).join('/');
    entry = await repository.findEntry(parent.oid, at);
    if (entry === undefined) return undefined;
    const isEnd = depth === parts.length;
    if (isEnd && entry.kind === 'tree') throw invalid(`${path} is a folder, not a file.`);
    if (isEnd && entry.kind === 'commit') throw invalid(`${path} is a submodule, not a file.`);
    if (isEnd || entry.kind === 'tree') continue;
    if (removed.has(at)) return undefined;
    throw invalid(`${path} cannot be changed, because ${at} is not a folder.`);
  }
  return entry;
}

function invalid(message: string): Failure {
  return new Failure('invalid', message);
}
