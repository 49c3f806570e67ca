// The routes of one run below the last run of an Actor or a task: `/actors/{actorId}/runs/last/abort` and the like.
import type { Route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { controlRoutes } from './control-routes.ts';
import { runRoutes } from './routes.ts';
import { OF_LAST_RUN, type LastRunBase, type AliasCall } from './storage-aliases.ts';

const ALIASED = [
  'actorRun_get',
  'actorRun_log_get',
  'actorRun_abort_post',
  'actorRun_reboot_post',
  'actorRun_metamorph_post',
  'actorRun_resurrect_post',
];

export const lastRunRoutes = lastRunRoutesOf(OF_LAST_RUN);

/** The handler is the original's: only the id of the run comes from the choice of the last one. */
export function lastRunRoutesOf(base: LastRunBase): Route[] {
  const originals = [...runRoutes, ...controlRoutes] as unknown as Route[];
  return originals
    .filter(({ shape }) => ALIASED.includes(shape.id))
    .map((original) => aliasOf(original, base));
}

function aliasOf(original: Route, base: LastRunBase): Route {
  const { aliases: _, ...shape } = original.shape;
  return {
    shape: {
      ...shape,
      id: shape.id.replace('actorRun', base.id),
      aliasOf: shape.id,
      path: shape.path.replace('/actor-runs/{runId}', base.path),
      summary: `${shape.summary} (${base.of.replace(/^of /, '')})`,
      params: base.params,
      query: Type.Object({ ...base.query.properties, ...shape.query?.properties }),
    },
    async handle(call, kernel) {
      const { params, query } = call as unknown as AliasCall;
      const { caller } = call;
      const can: AliasCall['can'] = (resource, action) => call.can(resource, action);
      const { id: runId } = await base.resolve({ caller, params, query, can }, kernel);
      Object.assign(call, { params: { runId } });
      return await original.handle(call, kernel);
    },
    async authorize({ caller, params, query, can }, kernel) {
      if (caller.kind !== 'anonymous') await base.resolve({ caller, params, query, can }, kernel);
    },
  };
}
