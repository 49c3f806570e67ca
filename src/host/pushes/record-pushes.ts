// Records what pushes have changed: compares the references of git with those that were last recorded, and writes the
// difference, what the repository shows of it, and its events in one transaction.
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import { recordedAs } from '../../kernel/identity/identity.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { awaitAll, executeAll } from '../../kernel/storage/execute-all.ts';
import { notifyOnCommit } from '../../kernel/storage/notify-on-commit.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { HostEvent } from '../events/model.ts';
import { recordEvents } from '../events/record-event.ts';
import { readRefValues } from '../git/refs/list-refs.ts';
import { isBeingImported } from '../imports/store.ts';
import { maintenanceStatement } from '../maintenance/schedule-maintenance.ts';
import { ownerOfAccount, type RepositoryOwner } from '../owners/model.ts';
import { listOwners } from '../owners/store.ts';
import { schedulePullWork } from '../pulls/schedule-work.ts';
import { REPOSITORY_CHANNEL, type FoundRepository } from '../repositories/access.ts';
import { countStatement, scheduleHead, writeHeadNow } from '../repositories/changes/repository-work.ts';
import { listFormerNames } from '../repositories/store-redirects.ts';
import type { Repository } from '../repositories/repository.ts';
import { updateRepository } from '../repositories/store.ts';
import { scheduleCommitReading } from '../texts/read-commits.ts';
import { parseReferences } from '../texts/references.ts';
import { describeMove, type PushDetails } from './describe-move.ts';
import { isRecordedRef, movesBetween, type Push, type RefMove } from './model.ts';
import {
  advanceRefsVersion,
  deletePushStatements,
  listPushes,
  listRecordedBranches,
  listRecordedRefs,
  readRecordedRefs,
  replaceRecordedRefsStatements,
} from './store.ts';

export const RECORD_PUSH = 'host.record-push';

/** How often it is tried again after others have recorded pushes to the same repository. */
const MAX_TRIES = 50;
/** Further moves of one comparison make no events. */
const MAX_EVENTS = 200;
/** The events of further moves do not list their commits. */
const MAX_LISTED = 50;
/** The characters of messages that are looked at while a push is recorded. */
const MAX_PARSED = 16_384;
const BRANCH = 'refs/heads/';

export function recordPushId(id: string): string {
  return `${RECORD_PUSH}:${id}`;
}

interface Comparison {
  /** Has made those changes that no known push explains. */
  pusher?: KnownCaller | undefined;
  /** The push is over: its row goes. */
  ended?: Push;
  /** The push may go on. */
  watched?: Push;
  /** Commits that the repository did not have before the push that is over. */
  fresh?: ReadonlySet<string>;
}

/** Compares what the push was to change, or all branches and tags where none is named. */
export async function recordPushes(
  kernel: Kernel,
  number: number,
  comparison: Comparison = {},
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    if (await recordOnce(kernel, number, comparison)) return;
    if (tries === MAX_TRIES) throw new Error(`Too many pushes to repository ${number} at once.`);
  }
}

/** False where another process has recorded references meanwhile: what was read may be older than that. */
async function recordOnce(kernel: Kernel, number: number, comparison: Comparison): Promise<boolean> {
  const { db, services, clock } = kernel;
  const { ended, watched, pusher, fresh } = comparison;
  const named = namesOf(ended ?? watched);
  const known = await readRecordedRefs(db, number, named ?? []);
  if (known === undefined) return true;
  const { version } = known;
  const only = version === 0 ? undefined : named;
  // A copy of another repository has no folder until it is complete.
  if (only === undefined && !(await services.git.exists(number))) return true;
  const recorded = only === undefined ? await listRecordedRefs(db, number) : known.refs;
  const current = await readRefValues(services.git.repository(number), only);
  const names = new Set([...recorded.keys(), ...current.keys()]);
  const moves = movesBetween(names, recorded, current, await listPushes(db, number));
  const closing = (tx: Db) =>
    ended === undefined ? [] : deletePushStatements(tx, ended.id, recordPushId(ended.id));
  if (moves.length === 0 && version > 0) {
    if (ended !== undefined) await db.transaction().execute((tx) => executeAll(tx, closing(tx)));
    return true;
  }
  const now = clock.now();
  const callers = new Map([
    [undefined, pusher],
    [(ended ?? watched)?.id, pusher],
  ] as const);
  const events = version === 0 ? [] : await describeMoves(kernel, number, moves, { callers, fresh });
  const changed = [...new Set(moves.map(({ name }) => name))];
  const result = await db.transaction().execute(async (tx) => {
    const repository = await advanceRefsVersion(tx, number, version, now);
    if (repository === undefined) return undefined;
    const head = version === 0 ? undefined : await chooseDefault(tx, repository, moves, now);
    const defaultBranch = head ?? repository.defaultBranch;
    const isCounted = version > 0 && changed.includes(BRANCH + defaultBranch);
    const [owner] = await awaitAll([
      version === 0 ? undefined : findOwner(tx, repository, pusher),
      executeAll(tx, [
        ...replaceRecordedRefsStatements(tx, number, changed, current),
        ...closing(tx),
        ...(version > 0 ? [maintenanceStatement(tx, number, now)] : []),
        ...(isCounted ? [countStatement(tx, number, now)] : []),
      ]),
    ]);
    if (owner === undefined) return {};
    const found = { owner, repository: { ...repository, defaultBranch } };
    const pusherIdOf = ({ push }: RefMove) => {
      const caller = callers.get(push?.id);
      return caller && accountOf(caller).id;
    };
    const followed = moves.map((move) => ({ ...move, pusherId: pusherIdOf(move) }));
    // They do not depend on each other: others of this repository wait for the row that was changed above.
    await awaitAll([
      scheduleReading(tx, found, moves, { events, pusher, now }),
      insertMoveEvents(tx, found, events, now),
      notifyPushSubscriber(kernel, tx, found, moves, now),
      schedulePullWork(tx, number, version, followed, now),
      notifyOnCommit(tx, REPOSITORY_CHANNEL),
    ]);
    return { head };
  });
  if (result?.head !== undefined) await writeHeadNow(kernel, number);
  return result !== undefined;
}

/** Commits that come to the default branch may close issues, as those who have pushed them. An import brings old ones. */
async function scheduleReading(
  tx: Db,
  { repository: { number, defaultBranch } }: FoundRepository,
  moves: readonly RefMove[],
  { events, pusher, now }: { events: readonly MoveEvent[]; pusher: KnownCaller | undefined; now: number },
): Promise<void> {
  const isSilent = new Set(events.filter(({ details }) => hasNoReferences(details)).map(({ move }) => move));
  const readings = moves.flatMap((move) => {
    const { name, from, to, push } = move;
    const initiator = push?.pusher ?? (pusher && recordedAs(pusher));
    if (name !== BRANCH + defaultBranch || to === undefined || initiator === undefined) return [];
    if (isSilent.has(move)) return [];
    return { number, to, ...(from !== undefined && { from }), pusher: initiator };
  });
  if (readings.length === 0 || (await isBeingImported(tx, number, now))) return;
  for (const reading of readings) await scheduleCommitReading(tx, reading, now);
}

/** Whether all commits are listed and none names an issue, as with most pushes: then there is nothing to read. */
function hasNoReferences({ commits, size, created }: PushDetails): boolean {
  if (created || size === 0 || commits.length < size) return false;
  const texts = commits.map(({ message }) => String(message));
  if (texts.reduce((sum, { length }) => sum + length, 0) > MAX_PARSED) return false;
  return texts.every((text) => parseReferences(text).issues.length === 0);
}

/** Undefined for all. A push that git still reads has moved nothing. */
function namesOf(push: Push | undefined): string[] | undefined {
  return push?.changes.map(({ name }) => name).filter(isRecordedRef);
}

interface MoveEvent {
  move: RefMove;
  details: PushDetails;
  caller: KnownCaller | undefined;
}

interface KnownPushes {
  /** The pushers by the ids of their pushes; undefined is who made what no push explains. */
  callers: Map<string | undefined, KnownCaller | undefined>;
  fresh: ReadonlySet<string> | undefined;
}

async function describeMoves(
  kernel: Kernel,
  number: number,
  moves: readonly RefMove[],
  { callers, fresh }: KnownPushes,
): Promise<MoveEvent[]> {
  const events: MoveEvent[] = [];
  for (const [index, move] of moves.slice(0, MAX_EVENTS).entries()) {
    const { push } = move;
    if (push !== undefined && !callers.has(push.id))
      callers.set(push.id, await kernel.identity.callerOf(kernel.db, push.pusher, kernel.clock.now()));
    const caller = callers.get(push?.id);
    const pusher = caller && accountOf(caller);
    const options = { pusher, hasCommits: index < MAX_LISTED, ...(fresh && { fresh }) };
    events.push({ move, caller, details: await describeMove(kernel, number, move, options) });
  }
  return events;
}

/** In the transaction that records the moves. */
async function insertMoveEvents(
  tx: Db,
  found: FoundRepository,
  events: readonly MoveEvent[],
  now: number,
): Promise<void> {
  for (const [caller, some] of Map.groupBy(events, ({ caller: one }) => one)) {
    const on = { db: tx, actor: { now, ...(caller && { caller }) } };
    await recordEvents(
      on,
      some.flatMap((event) => eventsOfMove(event, found)),
      { found },
    );
  }
}

function eventsOfMove({ move: { name, from, to }, details }: MoveEvent, found: FoundRepository): HostEvent[] {
  const push: HostEvent = { name: 'push', details };
  if (from !== undefined && to !== undefined) return [push];
  const isBranch = name.startsWith(BRANCH);
  const ref = { ref: name.split('/').slice(2).join('/'), ref_type: isBranch ? 'branch' : 'tag' };
  if (from !== undefined) return [push, { name: 'delete', details: { ...ref, pusher_type: 'user' } }];
  const { defaultBranch, description } = found.repository;
  const created = { ...ref, master_branch: defaultBranch, description, pusher_type: 'user' };
  return [push, { name: 'create', details: created }];
}

/** The first branches of an empty repository decide which is the default, unless it is among them. */
async function chooseDefault(
  tx: Db,
  { number, defaultBranch: present }: Repository,
  moves: readonly RefMove[],
  now: number,
): Promise<string | undefined> {
  const branches = moves
    .filter(({ name, from, to }) => name.startsWith(BRANCH) && from === undefined && to !== undefined)
    .map(({ name }) => name.slice(BRANCH.length));
  if (branches.length === 0 || branches.includes(present)) return undefined;
  if ((await listRecordedBranches(tx, number, { except: '', limit: 1 })).length > 0) return undefined;
  const defaultBranch = ['main', 'master'].find((name) => branches.includes(name)) ?? branches[0]!;
  await updateRepository(tx, number, { defaultBranch }, now);
  await scheduleHead(tx, number, now);
  return defaultBranch;
}

/** Most people push to their own repositories. */
async function findOwner(
  tx: Db,
  { ownerId }: Repository,
  pusher: KnownCaller | undefined,
): Promise<RepositoryOwner | undefined> {
  const account = pusher && accountOf(pusher);
  return account?.id === ownerId ? ownerOfAccount(account) : (await listOwners(tx, [ownerId])).get(ownerId);
}

declare module '../../kernel/kernel.ts' {
  interface Services {
    /** Called in the transaction that records a push, which it may add to. */
    pushSubscriber(tx: Db, pushed: PushedNames, now: number): Promise<void>;
  }
}

interface PushedNames {
  /** `owner/name` in lower case: today's, and former ones that lead to it. */
  names: readonly string[];
  /** Without those that were deleted. */
  branches: readonly string[];
  defaultBranch: string;
}

/**
 * Notifies another API of the same server of the branches that were pushed, by a port that the composition
 * root connects.
 */
async function notifyPushSubscriber(
  { services }: Kernel,
  tx: Db,
  { repository, owner }: FoundRepository,
  moves: readonly RefMove[],
  now: number,
): Promise<void> {
  const branches = moves
    .filter(({ name, to }) => name.startsWith(BRANCH) && to !== undefined)
    .map(({ name }) => name.slice(BRANCH.length));
  if (branches.length === 0) return;
  const former = await listFormerNames(tx, repository.number);
  const owners =
    former.length === 0
      ? new Map()
      : await listOwners(
          tx,
          former.map(({ ownerId }) => ownerId),
        );
  const names = [{ ownerId: owner.id, name: repository.name }, ...former].flatMap(({ ownerId, name }) => {
    const login = ownerId === owner.id ? owner.login : (owners.get(ownerId)?.login as string | undefined);
    return login === undefined ? [] : `${login}/${name}`.toLowerCase();
  });
  await services.pushSubscriber(tx, { names, branches, defaultBranch: repository.defaultBranch }, now);
}
