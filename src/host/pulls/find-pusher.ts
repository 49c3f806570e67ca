// Who has moved a branch to where it is, of those whose pushes are not followed yet.
import { accountOf } from '../../kernel/identity/caller.ts';
import { listWorkBelow } from '../../kernel/jobs/due-store.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { listPushes } from '../pushes/store.ts';
import { branchRef } from './pull.ts';
import { followPushId, type FollowedMove } from './schedule-work.ts';

/** Where more pushes wait, not all of them can be looked at. */
const MAX_WAITING = 1000;

/** The account; undefined where nobody is known, or several might have. `to` is absent for a deletion. */
export async function findPusher(
  { db, identity, clock }: Kernel,
  { number, branch }: Pick<FollowedMove, 'number' | 'branch'>,
  to: string | undefined,
): Promise<string | undefined> {
  const ref = branchRef(branch);
  // First: a push that is recorded meanwhile is among the waiting work then.
  const going = (await listPushes(db, number)).filter(({ changes }) =>
    changes.some((change) => change.name === ref && change.to === to),
  );
  const payloads = await listWorkBelow(db, followPushId(number), MAX_WAITING);
  if (payloads.length === MAX_WAITING) return undefined;
  const waiting = payloads
    .map((payload) => JSON.parse(payload) as FollowedMove)
    .filter((move) => move.branch === branch && move.to === to);
  const ids = new Set(waiting.map(({ pusherId }) => pusherId));
  for (const { pusher } of going) {
    const caller = await identity.callerOf(db, pusher, clock.now());
    ids.add(caller && accountOf(caller).id);
  }
  const [id] = ids;
  return ids.size === 1 ? id : undefined;
}
