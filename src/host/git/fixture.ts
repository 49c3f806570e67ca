// What tests of git begin with: the installed program, temporary folders, and repositories with content.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findGit, type InstalledGit } from './find-git.ts';
import { Git, type GitSettings } from './git.ts';
import type { GitWork } from './process-limits.ts';
import type { GitRepository } from './repository.ts';

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
  const git = new Git({ folder, installed: await supportedGit(), ...settings });
  return {
    git,
    folder,
    async stop() {
      await git.close();
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
