// Finds the lines that new comments are about, before anything is written, and refuses what the difference does not have.
import type { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { DiffSides } from '../git/history/diff.ts';
import { findMergeBase } from '../git/merge/pull-changes.ts';
import { GitLimitExceeded } from '../git/process/process-limits.ts';
import type { GitRepository } from '../git/repository.ts';
import type { OpenedPull } from '../pulls/access.ts';
import { pullRefused } from '../pulls/pull.ts';
import { endsOf } from '../pulls/pull-git.ts';
import {
  findLines,
  type FoundLine,
  type FoundLines,
  type LineAddress,
  type WantedLine,
} from './find-lines.ts';
import type { PlacedComment, WantedComment } from './review-comment.ts';

/** In their order. `commitId` is a commit of the pull request, and the difference is that which it makes to the base. */
export async function placeComments(
  { services }: Kernel,
  { repository, pull, issue }: OpenedPull,
  wanted: readonly WantedComment[],
  commitId: string,
): Promise<PlacedComment[]> {
  if (wanted.length === 0) return [];
  const git = services.git.repository(repository.number);
  // What a push has removed is deleted some time.
  if ((await git.readInfo(commitId)) === undefined)
    throw pullRefused('is not part of the pull request', 'commit_id');
  const { base } = await endsOf(git, pull, issue.state === 'open');
  const sides = { from: await findMergeBase(git, { base, head: commitId }), to: commitId };
  const found = await readLines(git, sides, wanted);
  return wanted.map((comment) => {
    if (!found.paths.has(comment.path)) throw pullRefused('is invalid', 'path', 'invalid');
    const shared = { path: comment.path, body: comment.body, commitId };
    return comment.subjectType === 'file'
      ? { ...shared, ...ON_FILE }
      : { ...shared, ...placeLine(found, comment) };
  });
}

/** What clients get from such a host for a comment on a file. */
const ON_FILE = {
  subjectType: 'file',
  side: 'RIGHT',
  line: null,
  startSide: null,
  startLine: null,
  position: 1,
  diffHunk: '',
} as const;

async function readLines(
  git: GitRepository,
  sides: DiffSides,
  wanted: readonly WantedComment[],
): Promise<FoundLines> {
  const files = wanted.map(({ path }) => path);
  const lines = wanted.flatMap((comment): WantedLine[] => {
    if (comment.subjectType === 'file') return [];
    const { end, start } = addressesOf(comment);
    return [end, ...(start ? [start] : [])].map((at) => ({ path: comment.path, at }));
  });
  try {
    return await findLines(git, sides, lines, files);
  } catch (error) {
    if (error instanceof GitLimitExceeded) throw wrongPlace('path', 'diff too large');
    throw error;
  }
}

interface CommentAddresses {
  end: LineAddress;
  start?: LineAddress;
}

/** @throws {Failure} where nothing says which line it is. */
function addressesOf({
  line,
  side = 'RIGHT',
  startLine,
  startSide,
  position,
}: WantedComment): CommentAddresses {
  if (line !== undefined)
    return {
      end: { side, line },
      ...(startLine !== undefined && { start: { side: startSide ?? side, line: startLine } }),
    };
  if (position !== undefined) return { end: { position } };
  throw pullRefused('is required', 'line', 'missing_field');
}

function placeLine(
  found: FoundLines,
  comment: WantedComment,
): Omit<PlacedComment, 'path' | 'body' | 'commitId'> {
  const { end: at, start: startAt } = addressesOf(comment);
  const end = found.lineAt(comment.path, at);
  if (end === undefined)
    throw 'position' in at
      ? wrongPlace('position', 'is invalid', 'invalid')
      : wrongPlace('line', 'must be part of the diff');
  const start = startAt && requireStart(found.lineAt(comment.path, startAt), end);
  return {
    subjectType: 'line',
    side: end.side,
    line: end.line,
    startSide: start?.side ?? null,
    startLine: start?.line ?? null,
    position: end.position,
    diffHunk: end.diffHunk,
  };
}

function requireStart(start: FoundLine | undefined, end: FoundLine): FoundLine {
  if (start === undefined || start.hunk !== end.hunk)
    throw wrongPlace('start_line', 'must be part of the same hunk as the line.');
  if (start.position >= end.position) throw wrongPlace('start_line', 'must precede the end line.');
  return start;
}

/** In the words that clients of such a host know. */
function wrongPlace(field: string, message: string, code = 'custom'): Failure {
  return pullRefused(message, `pull_request_review_thread.${field}`, code);
}
