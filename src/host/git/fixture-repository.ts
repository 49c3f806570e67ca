// What tests of git begin with: the installed program, temporary folders, and repositories with objects and references.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atEndOfFile } from '../../../test/cleanup.ts';
import type { GitPerson } from './objects/commit-object.ts';
import { findGit, type InstalledGit } from './process/git-environment.ts';
import { GitProgram } from './process/git-process.ts';
import type { GitTarget } from './git-target.ts';
import { Git, type GitSettings } from './git.ts';
import {
  buildBlob,
  buildCommit,
  buildTree,
  type EntryMode,
  type NewObject,
  type NewTreeEntry,
} from './objects/new-object.ts';
import type { GitWork } from './process/process-limits.ts';
import type { GitRepository } from './repository.ts';
import { updateRefs } from './refs/update-refs.ts';
import { writeObjects } from './objects/write-objects.ts';

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

/** Undefined where tests must be skipped. */
export async function supportedGit(): Promise<InstalledGit | undefined> {
  const found = await findGit();
  return found?.isSupported === true ? found : undefined;
}

export function testFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'signalbox-git-'));
}

export interface TestGit {
  git: Git;
  folder: string;
  stop(): Promise<void>;
}

/** A service on a folder of its own. */
export async function startGit(settings: Partial<GitSettings> = {}): Promise<TestGit> {
  const folder = await testFolder();
  const service = new Git({ folder, installed: await supportedGit(), ...settings });
  return {
    git: service,
    folder,
    async stop() {
      await service.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const PERSON = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_AUTHOR_DATE: '1700000000 +0100',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
  GIT_COMMITTER_DATE: '1700000000 +0100',
};

/** Runs git in the repository, and returns the first line of its output. */
export async function runIn(
  { folder, services }: GitRepository,
  args: string[],
  input: string | Uint8Array = '',
  work: GitWork = 'read',
): Promise<string> {
  const { stdout } = await services.program.run(args, {
    folder,
    input,
    work,
    env: PERSON,
    timeoutMs: 60_000,
    maxOutput: 1_000_000,
  });
  return stdout.toString().split('\n', 1)[0]!;
}

export function addBlob(repository: GitRepository, content: string | Uint8Array): Promise<string> {
  return runIn(repository, ['hash-object', '-w', '--stdin'], content);
}

/** Entries as `mktree -z` reads them: `<mode> <type> <id>\t<name>`. */
export function addTree(repository: GitRepository, entries: (string | Buffer)[]): Promise<string> {
  const input = entries.flatMap((entry) => [Buffer.from(entry), Buffer.from([0])]);
  return runIn(repository, ['mktree', '-z', '--missing'], Buffer.concat(input));
}

export function commitTree(repository: GitRepository, tree: string, message = 'A commit\n'): Promise<string> {
  return runIn(repository, ['commit-tree', tree], message);
}
