// What needs attention about Actors: runs of the caller that failed lately, together where the cause seems the same.
import { pathOf } from '../search/model.ts';
import { listActorNames } from '../search/actor-sources.ts';
import type { Searcher } from '../search/source.ts';
import { readActorRecords } from '../search/store-actor-records.ts';
import { shortHash, type Cause } from './model.ts';
import { listFailedRuns } from './store-causes.ts';

const DAY = 24 * 60 * 60 * 1000;
const MAX_MESSAGE = 200;

/** By Actor, status and message: numbers in a message, such as those of requests, make no other cause. */
export async function findFailedRuns({ db, now, accountId, can }: Searcher): Promise<Cause[]> {
  const failed = (await listFailedRuns(db, accountId, now - DAY)).filter(({ id }) =>
    can(`actor-run/${id}`, 'viewRun'),
  );
  if (failed.length === 0) return [];
  const actors = await readActorRecords(db, [...new Set(failed.map(({ actorId }) => actorId))]);
  const names = await listActorNames(db, actors);
  const titles = new Map(actors.map(({ id, name }) => [id, name]));
  const groups = Map.groupBy(
    failed,
    ({ actorId, status, message }) => `${actorId}\n${status}\n${(message ?? '').replaceAll(/\d+/g, '0')}`,
  );
  return [...groups].map(([cause, runs]): Cause => {
    const [last] = runs;
    const { id, actorId, status, message } = last!;
    const name = names.get(actorId);
    const isOne = runs.length === 1 || name === undefined;
    return {
      id: `failed-runs-${actorId}-${shortHash(cause)}`,
      kind: 'failed-runs',
      urgency: 'failing',
      title: titles.get(actorId) ?? actorId,
      reason:
        message?.slice(0, MAX_MESSAGE) || (status === 'TIMED-OUT' ? 'The run timed out.' : 'The run failed.'),
      at: Math.max(...runs.map(({ startedAt, finishedAt }) => finishedAt ?? startedAt)),
      count: runs.length,
      action: isOne
        ? { label: 'Open the run', path: pathOf('runs', id) }
        : { label: 'Open the runs', path: `${pathOf('actors', name, 'runs')}?status=${status}` },
    };
  });
}
