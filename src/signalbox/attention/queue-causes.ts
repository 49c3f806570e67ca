// What needs attention about request queues: requests whose locks expired, which no client has taken since.
import { storageResource } from '../../actors/storages/access.ts';
import { pathOf } from '../search/model.ts';
import type { Searcher } from '../search/source.ts';
import type { Cause } from './model.ts';
import { countExpiredLocks, listQueuesWithExpiredLocks } from './store-expired-locks.ts';

const MINUTE = 60 * 1000;
const WEEK = 7 * 24 * 60 * MINUTE;
/** A queue with clients gives a request to the next one much sooner. */
const LEFT_ALONE_MS = MINUTE;
const MAX_SHOWN = 20;

/** Locks of the last week: who has not come back for longer will not. */
export async function findExpiredLocks({ db, now, accountId, can }: Searcher): Promise<Cause[]> {
  const time = { after: now - WEEK, upTo: now - LEFT_ALONE_MS };
  const queues = (await listQueuesWithExpiredLocks(db, accountId, time))
    .filter(({ id, actRunId }) =>
      can(storageResource({ kind: 'request-queue', id, actRunId }), 'viewStorage'),
    )
    .slice(0, MAX_SHOWN);
  const causes: Cause[] = [];
  for (const { no, id, title, name, actRunId } of queues) {
    const holders = await countExpiredLocks(db, no, time);
    const [most] = holders;
    // A client may have taken them between the two statements.
    if (most === undefined) continue;
    const count = holders.reduce((sum, holder) => sum + holder.count, 0);
    causes.push({
      id: `expired-locks-${id}`,
      kind: 'expired-locks',
      urgency: 'failing',
      title: title || name || (actRunId === null ? id : `of run ${actRunId}`),
      reason: reasonOf(most.client, holders.length - 1),
      at: Math.max(...holders.map(({ lastAt }) => lastAt)),
      count,
      action: { label: 'Look at the queue', path: pathOf('storage', 'queues', id) },
    });
  }
  return causes;
}

function reasonOf(client: string, others: number): string {
  const first = client === '' ? 'A client without a key' : `The client ${client}`;
  const more = others === 0 ? '' : others === 1 ? ' and another' : ` and ${others} others`;
  return `${first}${more} held the locks, and no client has asked for the requests since.`;
}
