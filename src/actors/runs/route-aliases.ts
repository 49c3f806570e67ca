// Routes under further paths: those of a storage below its run (`/actor-runs/{runId}/dataset/items`), and those of a run and its storages below the last run of an Actor or a task.
import { type KnownCaller, accountOf } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Call, RawCall, Route, RouteShape } from '../../kernel/http/route.ts';
import { Type, type TObject } from '../../kernel/schema/schema.ts';
import type { Module } from '../../kernel/http/module.ts';
import { datasetRoutes } from '../datasets/routes.ts';
import { keyValueStoreRoutes } from '../key-value-stores/routes.ts';
import { requestQueueRoutes } from '../request-queues/routes.ts';
import { openActor } from '../actors/access.ts';
import { ByActor } from '../actors/routes.ts';
import { ORIGINS } from '../jobs/job-meta.ts';
import { STATUSES } from '../jobs/job.ts';
import { checkRun, openRun, runNotFound } from './access.ts';
import { parseOrigin, parseStatuses, type Run } from './model.ts';
import { findLastRun, type RunScope } from './store.ts';
import { controlRoutes } from './control-routes.ts';
import { runRoutes } from './routes.ts';

/** The ids of a run's own storages. */
interface RunStorages {
  datasetId: string;
  storeId: string;
  queueId: string;
}

/** The part of a call by which the run is found; its query has not been validated when another part of the call is wrong. */
interface AliasCall extends Pick<Call, 'can'> {
  caller: KnownCaller;
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, unknown>>;
}

/** Where the storages of some run are mounted. */
interface AliasBase {
  /** `/actor-runs/{runId}` */
  path: string;
  /** The start of operation ids. */
  id: string;
  params: TObject;
  /** Parameters by which the run is chosen. */
  query?: TObject;
  /** Words for the summary: `of a run`. */
  of: string;
  /** Finds the run. Throws for callers who may not view it. */
  resolve(call: AliasCall, kernel: Kernel): Promise<RunStorages>;
}

/** The routes of each kind of storage, the word for it in the path, and which storage of the run it is. */
const KINDS: { routes: readonly Route[]; word: string; storage: keyof RunStorages }[] = [
  { routes: datasetRoutes, word: 'dataset', storage: 'datasetId' },
  { routes: keyValueStoreRoutes, word: 'key-value-store', storage: 'storeId' },
  { routes: requestQueueRoutes, word: 'request-queue', storage: 'queueId' },
];

const ONE_STORAGE = /^\/[\w-]+\/\{storageId\}/;

/** An alias of every route about one storage. */
export function storageAliases(base: AliasBase): Route[] {
  return KINDS.flatMap(({ routes, word, storage }) =>
    routes
      .filter(({ shape }) => ONE_STORAGE.test(shape.path))
      .map((original) => storageAliasOf(original, base, word, storage)),
  );
}

/** The handler is the original's: only the reference to the storage comes from the run instead of the path. */
function storageAliasOf(original: Route, base: AliasBase, word: string, storage: keyof RunStorages): Route {
  return {
    shape: aliasShape(original.shape, base, word),
    async handle(call, kernel) {
      const { caller, params, query } = call as unknown as AliasCall;
      const storages = await base.resolve({ caller, params, query, can: canOf(call) }, kernel);
      Object.assign(call, { params: { ...params, storageId: storages[storage] } });
      return await original.handle(call, kernel);
    },
    async authorize(call, kernel) {
      const { params, query } = call;
      const caller = call.caller as KnownCaller;
      const storages = await base.resolve({ caller, params, query, can: canOf(call) }, kernel);
      await original.authorize?.({ ...call, params: { ...params, storageId: storages[storage] } }, kernel);
    },
  };
}

function canOf(call: Pick<RawCall, 'can'>): Call['can'] {
  return (resource, action) => call.can(resource, action);
}

function aliasShape(shape: RouteShape, base: AliasBase, word: string): RouteShape {
  const { access } = shape;
  if (typeof access !== 'object') throw new Error(`${shape.id} needs no permission`);
  const { storageId: _, ...params } = { ...base.params.properties, ...shape.params?.properties };
  const query = { ...base.query?.properties, ...shape.query?.properties };
  const names = [...Object.keys(base.query?.properties ?? {}), ...Object.keys(shape.query?.properties ?? {})];
  if (new Set(names).size < names.length)
    throw new Error(`${base.id} and ${shape.id} have the same parameter`);
  const moved = (path: string) => path.replace(ONE_STORAGE, `${base.path}/${word}`);
  const aliases = shape.aliases?.map((alias) => ({
    ...alias,
    ...(alias.path !== undefined && { path: moved(alias.path) }),
  }));
  return {
    ...shape,
    id: `${base.id}_${shape.id}`,
    aliasOf: shape.id,
    path: moved(shape.path),
    ...(aliases && { aliases }),
    summary: `${shape.summary} (the ${word.replaceAll('-', ' ')} ${base.of})`,
    // Only known callers can view a run, even where anybody may read the storage.
    access: { action: access.action, ...(access.others && { others: access.others }), ofOwner: true },
    params: Type.Object(params),
    ...(names.length > 0 && { query: Type.Object(query) }),
  };
}

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
interface LastRunBase extends AliasBase {
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

const OF_LAST_RUN = lastRunBase(
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

export const runStorageModule: Module = {
  tag: RUN_STORAGES_TAG,
  routes: [OF_RUN, OF_LAST_RUN].flatMap(storageAliases),
};

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
    .map((original) => runAliasOf(original, base));
}

function runAliasOf(original: Route, base: LastRunBase): Route {
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
