// The events of moved branches and tags: `push` for each, `create` and `delete` for those that came and went.
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { HostEvent } from '../events/model.ts';
import { recordEvents } from '../events/record-event.ts';
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
