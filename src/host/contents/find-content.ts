// Finds what a path of a repository means at a branch, tag or commit, and its README and licence by their names.
import { Failure } from '../../kernel/failure.ts';
import type { Caller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { downloadHolder } from '../download-token.ts';
import type { GitCommit } from '../git/objects/commit-object.ts';
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

/** Where files are looked for. */
type SearchedContents = Pick<OpenedContents, 'git' | 'commit'>;

/** The best first: what can be rendered, then other markup, then plain text. */
const EXTENSIONS = [
  'md',
  'markdown',
  'mdown',
  'mkdn',
  'mkd',
  'rst',
  'org',
  'adoc',
  'asciidoc',
  'textile',
  'rdoc',
  'pod',
  '',
  'txt',
];
const README = /^readme(?:\.(\w+))?$/i;
const LICENSE = /^(?:licen[cs]e|copying|unlicense)(?:\.(\w+))?$/i;
/** Where the README of the whole repository may be, the first one that has it. */
const README_FOLDERS = ['.github', '', 'docs'];

/** Of the whole repository, or of one folder. */
export async function findReadmeFile(
  opened: OpenedContents,
  folder: string | undefined,
): Promise<FoundEntry | undefined> {
  for (const one of folder === undefined ? README_FOLDERS : [folder]) {
    const found = await findNamedFile(opened, one, README);
    if (found !== undefined) return found;
  }
  return undefined;
}

export function findLicenseFile(opened: SearchedContents): Promise<FoundEntry | undefined> {
  return findNamedFile(opened, '', LICENSE);
}

async function findNamedFile(
  opened: SearchedContents,
  folder: string,
  pattern: RegExp,
): Promise<FoundEntry | undefined> {
  const { git, commit } = opened;
  const found = await git.findEntry(commit.oid, folder);
  const tree = found?.kind === 'tree' ? await git.readTree(found.oid) : undefined;
  const ranked = (tree?.entries ?? []).flatMap(({ name, kind }) => {
    const match = kind === 'blob' || kind === 'symlink' ? pattern.exec(name) : null;
    const rank = match === null ? -1 : EXTENSIONS.indexOf((match[1] ?? '').toLowerCase());
    return rank < 0 ? [] : { name, rank };
  });
  for (const { name } of ranked.toSorted((one, other) => one.rank - other.rank)) {
    const file = await findContent(opened, folder === '' ? name : `${folder}/${name}`);
    if (file.kind === 'blob') return file;
  }
  return undefined;
}
