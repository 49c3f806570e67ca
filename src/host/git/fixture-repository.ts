// A temporary repository for tests, with the objects and references that they need.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atEndOfFile } from '../../../test/cleanup.ts';
import type { GitPerson } from './commit-object.ts';
import { supportedGit } from './fixture.ts';
import { GitProgram } from './git-process.ts';
import type { GitTarget } from './git-target.ts';
import {
  buildBlob,
  buildCommit,
  buildTree,
  type EntryMode,
  type NewObject,
  type NewTreeEntry,
} from './new-object.ts';
import { updateRefs } from './update-refs.ts';
import { writeObjects } from './write-objects.ts';

const installed = await supportedGit();

/** The option of a test or suite that needs git. */
export const needsGit = { skip: installed === undefined && 'needs git 2.38 or newer' };

export const program = new GitProgram(installed?.path ?? 'git');

export const somebody: GitPerson = {
  name: 'Some Body',
  email: 'some@body.test',
  time: 1_700_000_000_000,
  zone: 60,
};

/** A path may have a mode before it: `100755 bin/run`. The content is text, bytes, or the id of a submodule. */
export type TestFiles = Record<string, string | Buffer>;

/** What git itself prints, with its own parsing of arguments. */
export function git({ folder }: Pick<GitTarget, 'folder'>, ...args: string[]): string {
  return execFileSync('git', [`--git-dir=${folder}`, ...args], { encoding: 'utf8', stdio: 'pipe' }).trimEnd();
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-git-'));
  atEndOfFile(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function openTestRepository(): GitTarget {
  const folder = join(temporaryFolder(), '1.git');
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', folder]);
  return { program, folder };
}

/** Adds a commit with exactly these files to a branch, or the first one of it. */
export async function addCommit(
  target: GitTarget,
  files: TestFiles,
  {
    branch = 'main',
    parents = [],
    message = 'change\n',
    author = somebody,
    committer = author,
  }: {
    branch?: string;
    parents?: readonly string[];
    message?: string;
    author?: GitPerson;
    committer?: GitPerson;
  } = {},
): Promise<string> {
  const objects: NewObject[] = [];
  const tree = buildFiles(files, objects);
  const commit = buildCommit({ tree, parents, author, committer, message });
  await writeObjects(target, [...objects, commit]);
  await updateRefs(target, [{ name: `refs/heads/${branch}`, from: parents[0], to: commit.oid }]);
  return commit.oid;
}

/** Returns the id of the tree, and adds it and all that is in it to `objects`. */
export function buildFiles(files: TestFiles, objects: NewObject[]): string {
  const folders = new Map<string, TestFiles>();
  const entries = Object.entries(files).flatMap(([key, content]): NewTreeEntry[] => {
    const [, given = '100644', path = key] = /^(\d{6}) ([^]*)$/.exec(key) ?? [];
    const mode = given as EntryMode;
    const slash = path.indexOf('/');
    if (slash >= 0) {
      const name = path.slice(0, slash);
      const inside = folders.get(name) ?? {};
      folders.set(name, { ...inside, [`${mode} ${path.slice(slash + 1)}`]: content });
      return [];
    }
    if (mode === '160000') return [{ mode, name: path, oid: String(content) }];
    const blob = buildBlob(Buffer.from(content));
    objects.push(blob);
    return [{ mode, name: path, oid: blob.oid }];
  });
  for (const [name, inside] of folders)
    entries.push({ mode: '040000', name, oid: buildFiles(inside, objects) });
  const tree = buildTree(entries);
  objects.push(tree);
  return tree.oid;
}

/** The id of a tree whose levels each have the next as often as `width` says, in `objects`: `width` to the power of `levels` files. */
export function buildTreeBomb(levels: number, width: number, objects: NewObject[]): string {
  const blob = buildBlob(Buffer.from('x'));
  objects.push(blob);
  let entry: Omit<NewTreeEntry, 'name'> = { mode: '100644', oid: blob.oid };
  for (let level = 0; level < levels; level += 1) {
    const tree = buildTree(Array.from({ length: width }, (_, index) => ({ ...entry, name: `n${index}` })));
    objects.push(tree);
    entry = { mode: '040000', oid: tree.oid };
  }
  return entry.oid;
}
