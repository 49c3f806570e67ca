// Finds what a path of a repository means at a branch, tag or commit.
import type { Caller } from '../../kernel/identity/caller.ts';
import { downloadHolder } from '../download-token.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { GitCommit } from '../git/commit-object.ts';
import type { FoundEntry, GitRepository } from '../git/repository.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { type ContentPlace, parseGitmodules, type Submodule } from './content-urls.ts';
import type { MarkdownRenderer } from './markdown-client.ts';

/** Git itself follows links up to the longest path of the file system. */
const MAX_LINK_BYTES = 4096;
const MAX_GITMODULES_BYTES = 1024 ** 2;

export interface OpenedContents {
  git: GitRepository;
  commit: GitCommit;
  place: ContentPlace;
  markdown: MarkdownRenderer;
}

/** Without a `ref` the default branch. */
export async function openContents(
  { services, secrets }: Pick<Kernel, 'services' | 'secrets'>,
  found: FoundRepository,
  asked: string | undefined,
  { base, now, caller }: { base: string; now: number; caller: Caller },
): Promise<OpenedContents> {
  const git = services.git.repository(found.repository.number);
  const commit = await findContentCommit(git, found, asked);
  const ref = asked || found.repository.defaultBranch;
  const holder = downloadHolder(caller);
  const place = { ...found, commit: commit.oid, ref, base, secrets, holder, now };
  return { git, commit, place, markdown: services.markdown };
}

/** @throws {Failure} where the repository is empty, or has no such commit. */
export async function findContentCommit(
  git: GitRepository,
  { repository: { defaultBranch } }: FoundRepository,
  asked: string | undefined,
): Promise<GitCommit> {
  const branch = `refs/heads/${defaultBranch}`;
  const head = asked ? undefined : await git.readRef(branch);
  const commit = asked ? await git.resolveCommit(asked) : head && (await git.readCommit(head));
  if (commit) return commit;
  if (!asked || (await git.readRef(branch)) === undefined)
    throw new Failure('not-found', 'This repository is empty.', { code: 'empty-repository' });
  throw new Failure('not-found', `No commit found for the ref ${asked}`, { code: 'no-commit' });
}

/** @throws {Failure} where there is nothing at the path. Slashes at its ends do not matter. */
export async function findContent(
  { git, commit }: Pick<OpenedContents, 'git' | 'commit'>,
  path: string,
): Promise<FoundEntry & { target?: string }> {
  const found = await git.findEntry(commit.oid, path.replace(/^\//, '').replace(/\/$/, ''));
  if (found === undefined) throw contentNotFound();
  if (found.kind !== 'symlink') return found;
  const { content } = (await git.readBlob(found.oid, MAX_LINK_BYTES)) ?? {};
  const target = content?.toString() ?? '';
  const file = await findTarget(git, commit.oid, found.path, target);
  return file ?? { ...found, target };
}

/** A link is followed only to a regular file of the same repository. */
async function findTarget(
  git: GitRepository,
  commit: string,
  path: string,
  target: string,
): Promise<FoundEntry | undefined> {
  const parts = path.split('/').slice(0, -1);
  if (target === '' || target.startsWith('/')) return undefined;
  for (const part of target.split('/')) {
    if (part === '..' && parts.pop() === undefined) return undefined;
    if (part !== '..' && part !== '.' && part !== '') parts.push(part);
  }
  const found = await git.findEntry(commit, parts.join('/'));
  return found?.kind === 'blob' ? found : undefined;
}

export async function readSubmodules({ git, commit }: OpenedContents): Promise<Map<string, Submodule>> {
  const file = await git.findEntry(commit.oid, '.gitmodules');
  if (file?.kind !== 'blob') return new Map();
  const { content } = (await git.readBlob(file.oid, MAX_GITMODULES_BYTES)) ?? {};
  return parseGitmodules(content?.toString() ?? '');
}

export function contentNotFound(): Failure {
  return new Failure('not-found', 'There is nothing at this path');
}
