// What a push to a gist may bring: commits on its one branch, whose newest has files at the top level only.
import { streamGit, runGit, type GitTarget } from '../git/git-target.ts';
import { splitRecords } from '../git/split-records.ts';
import type { RefChange } from '../protection/check-ref-changes.ts';
import type { ProposedPush } from './hook-dialogue.ts';

/** More references in one push to a gist are not even looked at: it has one. */
export const MAX_GIST_REFS = 20;
/** Each commit becomes a revision, which is a row of the database. */
const MAX_GIST_COMMITS = 2000;
const MEBIBYTE = 1024 ** 2;
const MAX_FILE_BYTES = 10 * MEBIBYTE;
const MAX_ALL_BYTES = 100 * MEBIBYTE;
const MAX_MESSAGES = 20;
const TIMEOUT_MS = 60_000;

export interface GistPushRules {
  /** The full name of the gist's one branch. */
  branch: string;
  maxFiles: number;
  /** A sentence about what is wrong with the name of a file: the same rule as for those that are written by the API. */
  problemWithName(name: string): string | undefined;
}

/** What is wrong, in words for the pusher; nothing where the push may be accepted. */
export async function checkGistPush(
  target: GitTarget,
  { changes, count }: Pick<ProposedPush, 'changes' | 'count'>,
  rules: GistPushRules,
): Promise<string[]> {
  const short = rules.branch.replace(/^refs\/heads\//, '');
  const others = changes.filter(({ name }) => name !== rules.branch);
  if (others.length > 0 || count > changes.length)
    return [
      ...others
        .slice(0, MAX_MESSAGES)
        .map(({ name }) => `${name}: a gist has one branch, ${short}, and no tags.`),
      `Push to it alone: git push origin HEAD:${short}`,
    ];
  const [change] = changes;
  if (change?.to === undefined) return [`${short} cannot be deleted: it is the gist's one branch.`];
  return (await checkHistory(target, change)) ?? (await checkFiles(target, change.to, rules));
}

/** A bounded count: a push can bring millions of small commits. */
async function checkHistory(target: GitTarget, { from, to }: RefChange): Promise<string[] | undefined> {
  const type = await runGit(target, ['cat-file', '-t', to!], { timeoutMs: TIMEOUT_MS, maxOutput: 100 });
  if (type.toString().trim() !== 'commit') return ['The branch of a gist must be at a commit.'];
  const limit = String(MAX_GIST_COMMITS + 1);
  const range = from === undefined ? [to!] : [to!, `^${from}`];
  const args = ['rev-list', '--count', `--max-count=${limit}`, '--end-of-options', ...range];
  const counted = await runGit(target, args, { timeoutMs: TIMEOUT_MS, maxOutput: 100 });
  if (Number(counted.toString()) <= MAX_GIST_COMMITS) return undefined;
  return [`The push has more than ${MAX_GIST_COMMITS} commits. Push them in parts, or squash them.`];
}

async function checkFiles(target: GitTarget, commit: string, rules: GistPushRules): Promise<string[]> {
  const messages: string[] = [];
  let files = 0;
  let bytes = 0;
  const args = ['ls-tree', '-l', '-z', '--full-tree', '--end-of-options', commit];
  for await (const record of splitRecords(streamGit(target, args, { timeoutMs: TIMEOUT_MS }))) {
    const tab = record.indexOf('\t');
    const [mode = '', , , size = ''] = record.subarray(0, tab).toString('latin1').split(/ +/);
    files += 1;
    bytes += Number(size) || 0;
    if (files > rules.maxFiles) return [`A gist has at most ${rules.maxFiles} files.`];
    const problem = problemWithEntry(mode, Number(size), record.subarray(tab + 1), rules);
    if (problem !== undefined) messages.push(problem);
    if (messages.length >= MAX_MESSAGES) return messages;
  }
  if (files === 0) messages.push('A gist must have at least one file.');
  if (bytes > MAX_ALL_BYTES)
    messages.push(`The files of a gist have at most ${MAX_ALL_BYTES / MEBIBYTE} MiB together.`);
  return messages;
}

function problemWithEntry(
  mode: string,
  size: number,
  bytes: Buffer,
  { problemWithName }: GistPushRules,
): string | undefined {
  const name = bytes.toString();
  if (mode === '040000') return `${name}: a gist has no folders. Move its files to the top.`;
  if (mode === '160000') return `${name}: a gist has no submodules.`;
  if (mode === '120000') return `${name}: a gist has no symbolic links.`;
  if (size > MAX_FILE_BYTES) return `${name}: a file of a gist has at most ${MAX_FILE_BYTES / MEBIBYTE} MiB.`;
  if (!bytes.equals(Buffer.from(name))) return `${name}: the name of a file must be UTF-8.`;
  return problemWithName(name);
}
