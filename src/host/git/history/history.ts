// Walks the history of commits: pages of it, comparisons of two commits, contributors, and the files that each commit of a range changes.
import { Failure } from '../../../kernel/failure.ts';
import { GitError } from '../process/git-process.ts';
import { runGit, streamGit, type GitTarget, readGit, splitRecords } from '../git-target.ts';
import { checkedObjectId } from '../objects/object-id.ts';

export interface HistoryPage {
  skip?: number;
  limit: number;
}

export interface HistoryFilter {
  /** Only commits that change this file or folder. */
  path?: string;
  /** Only commits whose author, as `Name <email>`, contains one of these texts, in any case. */
  authors?: readonly string[];
  committers?: readonly string[];
  /** Milliseconds: only commits at or after this time. */
  since?: number;
  /** Milliseconds: only commits at or before this time. */
  until?: number;
}

const TIMEOUT_MS = 20_000;
/** An id and a line break. */
const ID_BYTES = 41;
const MAX_FILTER_LENGTH = 4096;
/** A path of a repository has no parts that mean another folder, and no NUL can be an argument. */
const NO_PATH = /(?:^|\/)\.{0,2}(?:\/|$)|\0/;

/**
 * The ids of a commit and its ancestors, newest first. Without a filter git stops as soon as the page is full, so that
 * the first page costs the same however long the history is.
 */
export async function listCommitIds(
  target: GitTarget,
  tip: string,
  { skip = 0, limit }: HistoryPage,
  filter: HistoryFilter = {},
): Promise<string[]> {
  const filters = filterArguments(filter);
  if (filters === undefined) return [];
  const { path } = filter;
  return listIds(target, limit, [
    `--skip=${skip}`,
    ...filters,
    checkedObjectId(tip),
    '--',
    ...(path === undefined || path === '' ? [] : [path]),
  ]);
}

/**
 * The ids of the commits that `head` has and `base` has not, the oldest first and parents before children. `total` is
 * their number, `ahead` of `countAheadBehind`: git counts pages from the newest.
 */
export async function listCommitIdsBetween(
  target: GitTarget,
  { base, head, total }: { base: string; head: string; total: number },
  { skip = 0, limit }: HistoryPage,
): Promise<string[]> {
  const rest = Math.max(0, total - skip);
  const count = Math.min(limit, rest);
  const ids = await listIds(target, count, [
    '--topo-order',
    `--skip=${rest - count}`,
    checkedObjectId(head),
    `^${checkedObjectId(base)}`,
    '--',
  ]);
  return ids.reverse();
}

/** The ids of the newest commits that `tip` has and none of the others has. */
export async function listMissingCommitIds(
  target: GitTarget,
  { tip, without, limit }: { tip: string; without: readonly string[]; limit: number },
): Promise<string[]> {
  const excluded = without.map((oid) => `^${checkedObjectId(oid)}`);
  return await listIds(target, limit, ['--topo-order', checkedObjectId(tip), ...excluded, '--']);
}

/** How many commits `head` has that `base` has not, and the other way round. */
export async function countAheadBehind(
  target: GitTarget,
  base: string,
  head: string,
): Promise<{ ahead: number; behind: number }> {
  const range = `${checkedObjectId(base)}...${checkedObjectId(head)}`;
  const output = await runGit(target, ['rev-list', '--left-right', '--count', range, '--'], {
    timeoutMs: TIMEOUT_MS,
    maxOutput: 100,
  });
  const [behind = 0, ahead = 0] = output.toString().trim().split('\t').map(Number);
  return { ahead, behind };
}

/** The best common ancestors: none for unrelated histories, several where branches were merged crosswise. */
export async function findMergeBases(target: GitTarget, one: string, other: string): Promise<string[]> {
  const args = ['merge-base', '--all', checkedObjectId(one), checkedObjectId(other)];
  const output = await outputUnlessNo(target, args);
  return output === undefined ? [] : linesOf(output);
}

/** True for a commit and itself. */
export async function isAncestor(target: GitTarget, ancestor: string, descendant: string): Promise<boolean> {
  const args = ['merge-base', '--is-ancestor', checkedObjectId(ancestor), checkedObjectId(descendant)];
  return (await outputUnlessNo(target, args)) !== undefined;
}

export interface Contributor {
  name: string;
  email: string;
  commits: number;
}

/** The authors of most commits first. Merges count, as they do for `git shortlog`. */
export async function listContributors(
  target: GitTarget,
  tip: string,
  { limit }: { limit: number },
): Promise<Contributor[]> {
  const found: Contributor[] = [];
  // Names are taken from the commits: a file of the repository cannot rename people.
  const args = ['shortlog', '--summary', '--numbered', '--email', checkedObjectId(tip), '--'];
  let rest = '';
  for await (const chunk of streamGit(target, args, { timeoutMs: TIMEOUT_MS })) {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const contributor = contributorOf(Buffer.from(line, 'latin1').toString());
      if (contributor !== undefined) found.push(contributor);
      if (found.length === limit) return found;
    }
  }
  return found;
}

function contributorOf(line: string): Contributor | undefined {
  const [, commits, name = '', email = ''] = /^\s*(\d+)\t(.*?) ?<([^<>]*)>$/.exec(line) ?? [];
  return commits === undefined ? undefined : { name, email, commits: Number(commits) };
}

async function listIds(target: GitTarget, limit: number, args: readonly string[]): Promise<string[]> {
  if (limit === 0) return [];
  const output = await runGit(target, ['rev-list', `--max-count=${limit}`, ...args], {
    timeoutMs: TIMEOUT_MS,
    maxOutput: limit * ID_BYTES,
  });
  return linesOf(output);
}

/** Undefined where no commit can match. */
function filterArguments({ path, authors, committers, since, until }: HistoryFilter): string[] | undefined {
  if (path !== undefined && path !== '' && (NO_PATH.test(path) || path.length > MAX_FILTER_LENGTH))
    return undefined;
  const people = { author: authors, committer: committers };
  const args = Object.entries(people).flatMap(([role, texts = []]) =>
    texts.map((text) => `--${role}=${text}`),
  );
  // Git takes each line of a text as one of several to search for.
  if (args.some((arg) => /[\0\n]/.test(arg) || arg.length > MAX_FILTER_LENGTH)) return undefined;
  if (args.length > 0) args.push('--fixed-strings', '--regexp-ignore-case');
  if (since !== undefined) args.push(`--max-age=${secondsOf(since)}`);
  if (until !== undefined) args.push(`--min-age=${secondsOf(until)}`);
  return args;
}

function secondsOf(time: number): number {
  return Math.max(0, Math.floor(time / 1000));
}

/** Undefined where git answers no, with exit code 1. */
async function outputUnlessNo(target: GitTarget, args: readonly string[]): Promise<Buffer | undefined> {
  try {
    return await runGit(target, args, { timeoutMs: TIMEOUT_MS, maxOutput: 64 * 1024 });
  } catch (error) {
    if (error instanceof GitError && error.exitCode === 1) return undefined;
    throw error;
  }
}

function linesOf(output: Buffer): string[] {
  return output.toString('latin1').split('\n').filter(Boolean);
}

export interface LoggedCommit {
  oid: string;
  added: string[];
  removed: string[];
  modified: string[];
}

interface LogRange {
  tip: string;
  /** Commits that these have are left out. */
  without: readonly string[];
  maxCommits: number;
  /** Further names of files are left out, over all commits. */
  maxFiles: number;
}

const LOG_TIMEOUT_MS = 30_000;
/** Of the names, and of the ids alone. */
const MAX_LOG_OUTPUT = 64 * 1024 ** 2;
const COMMIT = /^\n?=([0-9a-f]{40})$/;

/**
 * The newest commits of the range, the oldest of them first. A merge is compared with its first parent. Where the names
 * take more than git may use, commits after those that were read have none.
 */
export async function logFiles(target: GitTarget, range: LogRange): Promise<LoggedCommit[]> {
  const read = new Map<string, LoggedCommit>();
  const names = ['--no-renames', '--root', '--name-status', '--diff-merges=first-parent'];
  try {
    await readLog(target, range, names, read);
    return [...read.values()];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
  const all = new Map<string, LoggedCommit>();
  await readLog(target, range, ['--no-patch'], all);
  return [...all].map(([oid, commit]) => read.get(oid) ?? commit);
}

async function readLog(
  target: GitTarget,
  { tip, without, maxCommits, maxFiles }: LogRange,
  shown: readonly string[],
  commits: Map<string, LoggedCommit>,
): Promise<void> {
  const options = ['--topo-order', '--reverse', `--max-count=${maxCommits}`, '-z', '--format==%H'];
  const tips = [tip, ...without].map(checkedObjectId);
  const input = tips.map((oid, index) => `${index === 0 ? '' : '^'}${oid}\n`).join('');
  const args = ['log', ...options, ...shown, '--stdin', '--'];
  let commit: LoggedCommit | undefined;
  let status: string | undefined;
  let files = 0;
  const output = readGit(target, args, { input, timeoutMs: LOG_TIMEOUT_MS, maxOutput: MAX_LOG_OUTPUT });
  for await (const record of splitRecords(output)) {
    const text = record.toString();
    if (status === undefined) {
      const oid = COMMIT.exec(text)?.[1];
      if (oid === undefined) status = text.trimStart();
      else commits.set(oid, (commit = { oid, added: [], removed: [], modified: [] }));
      continue;
    }
    files += 1;
    if (commit !== undefined && files <= maxFiles) listOf(commit, status).push(text);
    status = undefined;
  }
}

function listOf({ added, removed, modified }: LoggedCommit, status: string): string[] {
  if (status.startsWith('A')) return added;
  return status.startsWith('D') ? removed : modified;
}
