// Finds the lines of comments again when a pull request has other changes than before; those that are gone are outdated.
import { systemActor } from '../../kernel/identity/actor.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { DiffSides } from '../git/history/diff.ts';
import { findMergeBase } from '../git/merge/pull-changes.ts';
import { GitLimitExceeded } from '../git/process/process-limits.ts';
import type { GitRepository } from '../git/repository.ts';
import { lockIssue } from '../issues/store.ts';
import type { Pull } from '../pulls/pull.ts';
import { endsOf } from '../pulls/pull-git.ts';
import { findPull } from '../pulls/store.ts';
import { findLines, isLineOf, type FoundLines, type LineAddress, type WantedLine } from './find-lines.ts';
import { mapLines, NO_LINES, SAME_LINES, type LineMap } from './map-lines.ts';
import type { DiffSide, ReviewComment } from './review-comment.ts';
import { listPlacedComments, updatePlaces, type MovedComment } from './store.ts';

const MOVE_COMMENTS = 'host.move-comments';
/** Read, and written in one transaction, at once. */
const AT_ONCE = 500;
/** Comments on more different commits are outdated: each takes a comparison. */
const MAX_COMMITS = 20;

/** Of an open pull request. Where it gets other commits meanwhile, due work does the same once more. */
export async function moveComments(kernel: Kernel, pull: Pull, signal: AbortSignal): Promise<void> {
  const { db, services } = kernel;
  let after = 0;
  let changes: PullChanges | undefined;
  for (;;) {
    const comments = await listPlacedComments(db, pull.issueId, { after, limit: AT_ONCE });
    if (comments.length === 0) return;
    signal.throwIfAborted();
    changes ??= await readChanges(services.git.repository(pull.repositoryNumber), pull);
    const moved = await findAgain(changes, comments);
    if (moved.length > 0 && !(await writePlaces(kernel, pull, moved))) return;
    after = comments.at(-1)!.id;
  }
}

interface PullChanges {
  git: GitRepository;
  /** The commit of the base branch. */
  base: string;
  sides: DiffSides;
}

async function readChanges(git: GitRepository, pull: Pull): Promise<PullChanges> {
  const ends = await endsOf(git, pull, true);
  return { git, base: ends.base, sides: { from: await findMergeBase(git, ends), to: ends.head } };
}

/** Those that are not where they were. */
async function findAgain(changes: PullChanges, comments: readonly ReviewComment[]): Promise<MovedComment[]> {
  const addresses = new Map<number, CommentAddress | undefined>();
  const byCommit = [...Map.groupBy(comments, ({ commitId }) => commitId)];
  for (const [index, [commitId, own]] of byCommit.entries()) {
    const maps = index < MAX_COMMITS ? await readMaps(changes, commitId, own) : NOTHING_FOUND;
    for (const comment of own) addresses.set(comment.id, addressIn(maps, comment));
  }
  const found = await readLines(changes, comments, addresses);
  const { to: commitId } = changes.sides;
  return comments.flatMap((comment) => {
    const place = placeAfter(found, comment, addresses.get(comment.id));
    const next = place === undefined ? gone(comment) : { ...place, id: comment.id, commitId };
    return isSamePlace(comment, next) ? [] : [next];
  });
}

type SideMaps = Record<DiffSide, LineMap>;
const NOTHING_FOUND: SideMaps = { LEFT: NO_LINES, RIGHT: NO_LINES };

/** From the changes of an older commit to those of today, on both sides. */
async function readMaps(
  { git, base, sides }: PullChanges,
  commitId: string,
  comments: readonly ReviewComment[],
): Promise<SideMaps> {
  if ((await git.readInfo(commitId)) === undefined) return NOTHING_FOUND;
  const pathsOf = (side: DiffSide) => [
    ...new Set(comments.filter((one) => one.side === side || one.startSide === side).map(({ path }) => path)),
  ];
  const left = pathsOf('LEFT');
  const oldBase = left.length === 0 ? sides.from : await findMergeBase(git, { base, head: commitId });
  return {
    LEFT:
      oldBase === sides.from || sides.from === undefined
        ? SAME_LINES
        : await mapLines(git, { from: oldBase, to: sides.from }, left),
    RIGHT: await mapLines(git, { from: commitId, to: sides.to }, pathsOf('RIGHT')),
  };
}

interface CommentAddress {
  end: LineAddress;
  start?: LineAddress;
}

/** Undefined for a comment on a file, and where a line is gone. */
function addressIn(maps: SideMaps, comment: ReviewComment): CommentAddress | undefined {
  const { path, line, side, startLine } = comment;
  const startSide = comment.startSide ?? side;
  const end = line === null ? undefined : maps[side](path, line);
  if (end === undefined) return undefined;
  if (startLine === null) return { end: { side, line: end } };
  const start = maps[startSide](path, startLine);
  return start === undefined
    ? undefined
    : { end: { side, line: end }, start: { side: startSide, line: start } };
}

/** Where there is too much to read, nothing is found. */
async function readLines(
  { git, sides }: PullChanges,
  comments: readonly ReviewComment[],
  addresses: ReadonlyMap<number, CommentAddress | undefined>,
): Promise<FoundLines | undefined> {
  const wanted = comments.flatMap(({ id, path }): WantedLine[] => {
    const address = addresses.get(id);
    if (address === undefined) return [];
    return [address.end, ...(address.start ? [address.start] : [])].map((at) => ({ path, at }));
  });
  const files = comments.flatMap(({ subjectType, path }) => (subjectType === 'file' ? path : []));
  try {
    return await findLines(git, sides, wanted, files);
  } catch (error) {
    if (error instanceof GitLimitExceeded) return undefined;
    throw error;
  }
}

type NewPlace = Pick<MovedComment, 'line' | 'startLine' | 'position'>;

function placeAfter(
  found: FoundLines | undefined,
  comment: ReviewComment,
  address: CommentAddress | undefined,
): NewPlace | undefined {
  const { path, subjectType } = comment;
  if (subjectType === 'file')
    return found?.paths.has(path) === true ? { line: null, startLine: null, position: 1 } : undefined;
  const end = address && found?.lineAt(path, address.end);
  // The base may be another branch than before: the same number is then another line.
  if (end === undefined || !isLineOf(comment.diffHunk, end)) return undefined;
  if (address?.start === undefined) return { line: end.line, startLine: null, position: end.position };
  const start = found?.lineAt(path, address.start);
  if (start?.hunk !== end.hunk) return undefined;
  return { line: end.line, startLine: start.line, position: end.position };
}

/** It stays with the commit that it was last found in. */
function gone({ id, commitId }: ReviewComment): MovedComment {
  return { id, commitId, line: null, startLine: null, position: null };
}

function isSamePlace(before: ReviewComment, after: MovedComment): boolean {
  return (
    before.commitId === after.commitId &&
    before.line === after.line &&
    before.startLine === after.startLine &&
    before.position === after.position
  );
}

/** False where the pull request has another head or base by now. */
async function writePlaces(
  { changes, clock }: Kernel,
  { issueId, headSha, baseRef }: Pull,
  moved: readonly MovedComment[],
): Promise<boolean> {
  return await changes.run(systemActor({ now: clock.now(), id: MOVE_COMMENTS }), async ({ db }) => {
    const issue = await lockIssue(db, issueId);
    const pull = issue && (await findPull(db, issueId));
    if (pull?.headSha !== headSha || pull.baseRef !== baseRef) return false;
    await updatePlaces(db, moved);
    return true;
  });
}
