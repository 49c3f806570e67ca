// Records what pushes have changed: compares the references of git with those that were last recorded, and writes the
// difference, what the repository shows of it, and its events in one transaction.
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import { schedule, type DueHandler } from '../../kernel/jobs/due-store.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { notifyOnCommit } from '../../kernel/storage/notify-on-commit.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { removeStaleQuarantines } from '../git/maintenance/leftovers.ts';
import { readRefValues } from '../git/refs/list-refs.ts';
import { scheduleMaintenance } from '../maintenance/schedule-maintenance.ts';
import { listOwners } from '../owners/store.ts';
import { REPOSITORY_CHANNEL, type FoundRepository } from '../repositories/access.ts';
import { scheduleCount, scheduleHead, writeHead } from '../repositories/changes/repository-work.ts';
import { listFormerNames } from '../repositories/store-redirects.ts';
import { findRepositoryByNumber, updatePushedState, updateRepository } from '../repositories/store.ts';
import { isRecordedRef, movesBetween, type Push, type RefMove } from './model.ts';
import { describeMoves, insertMoveEvents } from './push-events.ts';
import {
  advanceRefsVersion,
  deletePush,
  findPush,
  listPushes,
  listRecordedBranches,
  listRecordedRefs,
  readRefsVersion,
  replaceRecordedRefs,
} from './store.ts';

export const RECORD_PUSH = 'host.record-push';

/** No push takes longer: afterwards its server has died, and with it the processes of git. */
export const MAX_PUSH_MS = 60 * 60 * 1000;
const SHORTEST_WAIT_MS = 10_000;
const LONGEST_WAIT_MS = 5 * 60_000;
/** How often it is tried again after others have recorded pushes to the same repository. */
const MAX_TRIES = 50;
const BRANCH = 'refs/heads/';

export function recordPushId(id: string): string {
  return `${RECORD_PUSH}:${id}`;
}

/** Compares all branches and tags. `pusher` has made those changes that no known push explains. */
export async function recordPushes(kernel: Kernel, number: number, pusher?: KnownCaller): Promise<void> {
  await record(kernel, number, { pusher });
}

/** Compares what the push was to change. Where that fails, due work does it later: the references have moved. */
export async function endPush(kernel: Kernel, push: Push, pusher: KnownCaller): Promise<void> {
  try {
    await record(kernel, push.number, { pusher, ended: push });
  } catch (error) {
    kernel.log.warn({ err: error, repository: push.number }, 'A push is to be recorded later');
  }
}

/** Looks again and again while the push may go on: nothing says that its server has died. */
export function recordPushHandler(kernel: Kernel): DueHandler {
  return async ({ id, kind, payload }) => {
    const { db, clock, identity } = kernel;
    const push = await findPush(db, (JSON.parse(payload) as { id: string }).id);
    if (push === undefined) return;
    const now = clock.now();
    const age = now - push.begunAt;
    const pusher = await identity.callerOf(db, push.pusher, now);
    const isOver = age > MAX_PUSH_MS;
    await record(kernel, push.number, { pusher, ...(isOver ? { ended: push } : { watched: push }) });
    if (isOver) {
      await removeStaleQuarantines(kernel.services.git.repository(push.number).folder, MAX_PUSH_MS);
      return;
    }
    const dueAt = now + Math.min(Math.max(age, SHORTEST_WAIT_MS), LONGEST_WAIT_MS);
    await db.transaction().execute(async (tx) => {
      if ((await findPush(tx, push.id)) !== undefined)
        await schedule(tx, { id, kind, payload, dueAt }, now, 'move');
    });
  };
}

interface Comparison {
  pusher: KnownCaller | undefined;
  /** The push is over: its row goes. */
  ended?: Push;
  /** The push may go on. */
  watched?: Push;
}

async function record(kernel: Kernel, number: number, comparison: Comparison): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    if (await recordOnce(kernel, number, comparison)) return;
    if (tries === MAX_TRIES) throw new Error(`Too many pushes to repository ${number} at once.`);
  }
}

/** False where another process has recorded references meanwhile: what was read may be older than that. */
async function recordOnce(kernel: Kernel, number: number, comparison: Comparison): Promise<boolean> {
  const { db, services, clock } = kernel;
  const { ended, watched, pusher } = comparison;
  const version = await readRefsVersion(db, number);
  if (version === undefined) return true;
  const only = version === 0 ? undefined : namesOf(ended ?? watched);
  // A copy of another repository has no folder until it is complete.
  if (only === undefined && !(await services.git.exists(number))) return true;
  const recorded = await listRecordedRefs(db, number, only);
  const current = await readRefValues(services.git.repository(number), only);
  const names = new Set([...recorded.keys(), ...current.keys()]);
  const moves = movesBetween(names, recorded, current, await listPushes(db, number));
  const close = async (tx: Db) => ended && (await deletePush(tx, ended.id, recordPushId(ended.id)));
  if (moves.length === 0 && version > 0) {
    if (ended !== undefined) await db.transaction().execute(close);
    return true;
  }
  const now = clock.now();
  const callers = new Map([
    [undefined, pusher],
    [(ended ?? watched)?.id, pusher],
  ] as const);
  const events = version === 0 ? [] : await describeMoves(kernel, number, moves, callers);
  const changed = [...new Set(moves.map(({ name }) => name))];
  const result = await db.transaction().execute(async (tx) => {
    if (!(await advanceRefsVersion(tx, number, version))) return undefined;
    const head = version === 0 ? undefined : await chooseDefault(tx, number, moves, now);
    await replaceRecordedRefs(tx, number, changed, current);
    await close(tx);
    if (version === 0) return {};
    await updatePushedState(tx, number, { pushedAt: now });
    await scheduleMaintenance(tx, number, now);
    const found = await findFound(tx, number);
    if (found === undefined) return {};
    if (changed.includes(BRANCH + found.repository.defaultBranch)) await scheduleCount(tx, number, now);
    await insertMoveEvents(tx, found, events, now);
    await notifyPushSubscriber(kernel, tx, found, moves, now);
    await notifyOnCommit(tx, REPOSITORY_CHANNEL);
    return { head };
  });
  if (result?.head !== undefined) await writeHead(kernel, { number, defaultBranch: result.head });
  return result !== undefined;
}

/** Undefined for all. A push that git still reads has moved nothing. */
function namesOf(push: Push | undefined): string[] | undefined {
  return push?.changes.map(({ name }) => name).filter(isRecordedRef);
}

/** The first branches of an empty repository decide which is the default, unless it is among them. */
async function chooseDefault(
  tx: Db,
  number: number,
  moves: readonly RefMove[],
  now: number,
): Promise<string | undefined> {
  const branches = moves
    .filter(({ name, from, to }) => name.startsWith(BRANCH) && from === undefined && to !== undefined)
    .map(({ name }) => name.slice(BRANCH.length));
  const repository = branches.length === 0 ? undefined : await findRepositoryByNumber(tx, number);
  if (repository === undefined || branches.includes(repository.defaultBranch)) return undefined;
  if ((await listRecordedBranches(tx, number, { except: '', limit: 1 })).length > 0) return undefined;
  const defaultBranch = ['main', 'master'].find((name) => branches.includes(name)) ?? branches[0]!;
  await updateRepository(tx, number, { defaultBranch }, now);
  await scheduleHead(tx, number, now);
  return defaultBranch;
}

async function findFound(tx: Db, number: number): Promise<FoundRepository | undefined> {
  const repository = await findRepositoryByNumber(tx, number);
  const owner = repository && (await listOwners(tx, [repository.ownerId])).get(repository.ownerId);
  return owner && { repository, owner };
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
