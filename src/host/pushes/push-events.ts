// The events of moved branches and tags: `push` for each, `create` and `delete` for those that came and went.
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { recordEvent } from '../events/record-event.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { describeMove, type PushDetails } from './describe-move.ts';
import type { RefMove } from './model.ts';

/** Further moves of one comparison make no events. */
const MAX_EVENTS = 200;
/** The events of further moves do not list their commits. */
const MAX_LISTED = 50;
const BRANCH = 'refs/heads/';

export interface MoveEvent {
  move: RefMove;
  details: PushDetails;
  caller: KnownCaller | undefined;
}

/** By `callers`, the known pushers by the ids of their pushes; undefined is who made what no push explains. */
export async function describeMoves(
  kernel: Kernel,
  number: number,
  moves: readonly RefMove[],
  callers: Map<string | undefined, KnownCaller | undefined>,
): Promise<MoveEvent[]> {
  const events: MoveEvent[] = [];
  for (const [index, move] of moves.slice(0, MAX_EVENTS).entries()) {
    const { push } = move;
    if (push !== undefined && !callers.has(push.id))
      callers.set(push.id, await kernel.identity.callerOf(kernel.db, push.pusher, kernel.clock.now()));
    const caller = callers.get(push?.id);
    const options = { pusher: caller && accountOf(caller), hasCommits: index < MAX_LISTED };
    events.push({ move, caller, details: await describeMove(kernel, number, move, options) });
  }
  return events;
}

/** In the transaction that records the moves. */
export async function insertMoveEvents(
  tx: Db,
  found: FoundRepository,
  events: readonly MoveEvent[],
  now: number,
): Promise<void> {
  for (const { move, details, caller } of events) {
    const on = { db: tx, actor: { now, ...(caller && { caller }) } };
    await recordEvent(on, { name: 'push', details }, { found });
    const { name, from, to } = move;
    if (from !== undefined && to !== undefined) continue;
    const isBranch = name.startsWith(BRANCH);
    const ref = { ref: name.split('/').slice(2).join('/'), ref_type: isBranch ? 'branch' : 'tag' };
    const { defaultBranch, description } = found.repository;
    const created = { ...ref, master_branch: defaultBranch, description, pusher_type: 'user' };
    if (from === undefined) await recordEvent(on, { name: 'create', details: created }, { found });
    else await recordEvent(on, { name: 'delete', details: { ...ref, pusher_type: 'user' } }, { found });
  }
}
