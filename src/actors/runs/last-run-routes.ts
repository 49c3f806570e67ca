// The routes of one run below the last run of an Actor: `/actors/{actorId}/runs/last/abort` and the like.
import type { Route } from '../../kernel/route.ts';
import { Type } from '../../kernel/schema.ts';
import { controlRoutes } from './control-routes.ts';
import { runRoutes } from './routes.ts';
import { OF_LAST_RUN } from './run-storages.ts';
import type { AliasCall } from './storage-aliases.ts';

const ALIASED = [
  'actorRun_get',
  'actorRun_log_get',
  'actorRun_abort_post',
  'actorRun_reboot_post',
  'actorRun_metamorph_post',
  'actorRun_resurrect_post',
];

/** The handler is the original's: only the id of the run comes from the choice of the last one. */
export const lastRunRoutes: Route[] = [...runRoutes, ...controlRoutes]
  .filter(({ shape }) => ALIASED.includes(shape.id))
  .map((route) => {
    const original = route as unknown as Route;
    const { aliases: _, ...shape } = original.shape;
    return {
      shape: {
        ...shape,
        id: shape.id.replace('actorRun', OF_LAST_RUN.id),
        aliasOf: shape.id,
        path: shape.path.replace('/actor-runs/{runId}', OF_LAST_RUN.path),
        summary: `${shape.summary} (the last one of an Actor)`,
        params: OF_LAST_RUN.params,
        query: Type.Object({ ...OF_LAST_RUN.query.properties, ...shape.query?.properties }),
      },
      async handle(call, kernel) {
        const { params, query } = call as unknown as AliasCall;
        const { caller } = call;
        const can: AliasCall['can'] = (resource, action) => call.can(resource, action);
        const { id: runId } = await OF_LAST_RUN.resolve({ caller, params, query, can }, kernel);
        Object.assign(call, { params: { runId } });
        return await original.handle(call, kernel);
      },
      async authorize({ caller, params, query, can }, kernel) {
        if (caller.kind !== 'anonymous') await OF_LAST_RUN.resolve({ caller, params, query, can }, kernel);
      },
    };
  });
