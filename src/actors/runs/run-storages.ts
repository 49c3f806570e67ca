// The storages of runs as a part: below a run, and below the last run of an Actor.
import { accountOf } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Module } from '../../kernel/http/module.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { openActor } from '../actors/access.ts';
import { ByActor } from '../actors/routes.ts';
import { checkRun, openRun, runNotFound } from './access.ts';
import { ORIGINS } from '../jobs/job-meta.ts';
import { STATUSES } from '../jobs/job-status.ts';
import { parseOrigin, parseStatuses, type Run } from './model.ts';
import { storageAliases, type AliasBase, type AliasCall } from './storage-aliases.ts';
import { findLastRun, type RunScope } from './store.ts';

/** The parameters by which the last run is chosen. */
const LAST_RUN_QUERY = Type.Object({
  status: Type.Optional(
    Type.String({
      description: `Only runs in one of these states, joined by commas: ${STATUSES.join(', ')}`,
    }),
  ),
  origin: Type.Optional(
    Type.String({ description: `Only runs that were started this way: ${ORIGINS.join(', ')}` }),
  ),
});

const OF_RUN: AliasBase = {
  path: '/actor-runs/{runId}',
  id: 'actorRun',
  of: 'of a run',
  params: Type.Object({ runId: Type.String() }),
  resolve: (call, kernel) => openRun(kernel, call, call.params['runId']!, 'viewRun'),
};

/** The last run of something, with its storages below it. */
export interface LastRunBase extends AliasBase {
  query: typeof LAST_RUN_QUERY;
  resolve(call: AliasCall, kernel: Kernel): Promise<Run>;
}

/** `scopeOf` finds the runs of which the last one is chosen, and throws for callers who may not know of them. */
export function lastRunBase(
  place: Pick<AliasBase, 'path' | 'id' | 'of' | 'params'>,
  scopeOf: (call: AliasCall, kernel: Kernel) => Promise<RunScope>,
): LastRunBase {
  return {
    ...place,
    query: LAST_RUN_QUERY,
    async resolve(call, kernel) {
      const scope = await scopeOf(call, kernel);
      const run = await findLastRun(kernel.db, scope, lastRunFilter(call.query));
      if (run === undefined) throw runNotFound();
      checkRun(call, run, 'viewRun');
      return run;
    },
  };
}

export const OF_LAST_RUN = lastRunBase(
  {
    path: '/actors/{actorId}/runs/last',
    id: 'act_runs_last',
    of: "of the Actor's last run",
    params: ByActor,
  },
  async (call, kernel) => {
    const actor = await openActor(kernel, call, call.params['actorId']!, 'viewActor');
    return { actorId: actor.id, userId: accountOf(call.caller).id };
  },
);

/** Of a query that may not have been validated: what is there twice is a list, and reported as such before. */
function lastRunFilter({ status, origin }: Readonly<Record<string, unknown>>) {
  return {
    statuses: typeof status === 'string' ? parseStatuses(status) : undefined,
    origin: typeof origin === 'string' ? parseOrigin(origin) : undefined,
  };
}

export const RUN_STORAGES_TAG = {
  name: 'Storages of runs',
  description: 'The dataset, key-value store and request queue that each run has',
};

export const runStoragePart: Module = {
  tag: RUN_STORAGES_TAG,
  routes: [OF_RUN, OF_LAST_RUN].flatMap(storageAliases),
};
