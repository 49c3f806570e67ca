// Builds: start, list, get, abort, delete.
import { accountOf } from '../../kernel/identity/caller.ts';
import { findAccount } from '../../kernel/identity/store-accounts.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { reply, route, Text, type Call } from '../../kernel/http/route.ts';
import { PlainText, Type, type Static } from '../../kernel/schema/schema.ts';
import { openActor } from '../actors/access.ts';
import { ByActor } from '../actors/routes.ts';
import { findActorById } from '../actors/store.ts';
import { openApiOfBuild } from '../input/openapi-of-build.ts';
import { LIST_QUERY, listSliceOf } from '../list-query.ts';
import { LogQuery, PUBLIC_LOGS, serveLog } from '../logs/routes.ts';
import { afterWait, WAIT_QUERY, type WaitCall } from '../jobs/wait-for-finish.ts';
import { metaOf } from '../jobs/job-meta.ts';
import {
  buildDenied,
  isBuildOwner,
  openBuild,
  type BuildAction,
  type BuildCall,
  findNamedBuild,
} from './access.ts';
import { abortBuild, removeBuild, startBuild } from './change-build.ts';
import {
  BuildDetail,
  buildNotFound,
  BuildSummary,
  toBuildDetail,
  toBuildSummary,
  unknownBuild,
  type Build,
} from './model.ts';
import { findBuild, listBuilds } from './store.ts';

/** The deprecated paths name the Actor too. */
const ById = Type.Object({ buildId: Type.String() });

const VIEW = { action: 'viewBuild', ofOwner: true } as const;

const list = route(
  {
    id: 'actorBuilds_get',
    method: 'GET',
    path: '/actor-builds',
    summary: 'List all your builds, the oldest first',
    access: { action: 'viewBuild' },
    query: LIST_QUERY,
    list: BuildSummary,
  },
  async (call, kernel) => {
    if (!call.can('actor-build/*')) throw buildDenied('viewBuild');
    return await pageOf(kernel, call, { userId: accountOf(call.caller).id }, true);
  },
);

const listOfActor = route(
  {
    id: 'act_builds_get',
    method: 'GET',
    path: '/actors/{actorId}/builds',
    summary: 'List the builds of an Actor, the oldest first',
    access: VIEW,
    params: ByActor,
    query: LIST_QUERY,
    list: BuildSummary,
  },
  async (call, kernel) => {
    const isAllowed = call.can('actor-build/*');
    const actor = await openActor(kernel, call, call.params.actorId, 'viewActor');
    const isOwner = isBuildOwner(call.caller, actor);
    if (isOwner && !isAllowed) throw buildDenied('viewBuild');
    return await pageOf(kernel, call, { actorId: actor.id }, isOwner);
  },
);

async function pageOf(
  kernel: Kernel,
  { query, now }: Pick<Call, 'now'> & { query: Static<typeof LIST_QUERY> },
  scope: { userId: string } | { actorId: string },
  isOwner: boolean,
): Promise<Page> {
  const slice = listSliceOf(query);
  const { items, total } = await listBuilds(kernel.db, scope, slice, query.desc);
  return new Page(
    items.map((build) => toBuildSummary(build, { now, isOwner })),
    total,
    slice,
    query.desc,
  );
}

const start = route(
  {
    id: 'act_builds_post',
    method: 'POST',
    path: '/actors/{actorId}/builds',
    summary: 'Build a version of an Actor',
    access: { action: 'buildActor' },
    params: ByActor,
    query: Type.Object({
      version: Type.String({ description: 'The number of the version, MAJOR.MINOR' }),
      useCache: Type.Optional(
        Type.Boolean({
          description:
            'Whether installed dependencies are used again: by default only where a lockfile says exactly which',
        }),
      ),
      betaPackages: Type.Optional(Type.Boolean({ description: 'Accepted and not used' })),
      tag: Type.Optional(
        PlainText({
          minLength: 1,
          maxLength: 100,
          description: "Given to the build on success, instead of the version's tag",
        }),
      ),
      ...WAIT_QUERY,
    }),
    isData: true,
    reply: { 201: BuildDetail },
  },
  async (call, kernel) => {
    const { params, query, caller, now } = call;
    const actor = await openActor(kernel, call, params.actorId, 'buildActor');
    const { version, tag, useCache, betaPackages } = query;
    const meta = metaOf(call, await kernel.identity.initiatorOf(caller, now));
    const build = await startBuild(
      kernel,
      { actor, versionNumber: version, tag, useCache, betaPackages, meta, caller },
      now,
    );
    const finished = await buildAfterWait(kernel, call, build);
    const location = `${call.base}/actor-builds/${build.id}`;
    return reply(201, shown(kernel, call, finished), { location });
  },
);

const getDefault = route(
  {
    id: 'act_build_default_get',
    method: 'GET',
    path: '/actors/{actorId}/builds/default',
    summary: 'Get the build that runs of the Actor get by default',
    access: VIEW,
    params: ByActor,
    query: Type.Object(WAIT_QUERY),
    reply: { 200: BuildDetail },
  },
  async (call, kernel) => {
    const isAllowed = call.can('actor-build/*');
    const actor = await openActor(kernel, call, call.params.actorId, 'viewActor');
    if (isBuildOwner(call.caller, actor) && !isAllowed) throw buildDenied('viewBuild');
    const build = await findNamedBuild(kernel.db, actor, actor.runOptions.build);
    if (build === undefined) throw unknownBuild(actor.runOptions.build);
    return shown(kernel, call, await buildAfterWait(kernel, call, build));
  },
);

const get = route(
  {
    id: 'actorBuild_get',
    method: 'GET',
    path: '/actor-builds/{buildId}',
    aliases: [{ id: 'act_build_get', path: '/actors/{actorId}/builds/{buildId}' }],
    summary: 'Get a build',
    access: VIEW,
    params: ById,
    query: Type.Object(WAIT_QUERY),
    reply: { 200: BuildDetail },
  },
  async (call, kernel) => {
    const build = await openOne(kernel, call, 'viewBuild');
    return shown(kernel, call, await buildAfterWait(kernel, call, build));
  },
);

const abort = route(
  {
    id: 'actorBuild_abort_post',
    worksOnFullDisk: true,
    method: 'POST',
    path: '/actor-builds/{buildId}/abort',
    aliases: [{ id: 'act_build_abort_post', path: '/actors/{actorId}/builds/{buildId}/abort' }],
    summary: 'Abort a build; one that is finished stays as it is',
    access: { action: 'updateBuild' },
    params: ById,
    isData: true,
    reply: { 200: BuildDetail },
  },
  async (call, kernel) => {
    const { id } = await openOne(kernel, call, 'updateBuild');
    return shown(kernel, call, await abortBuild(kernel, id, call.now));
  },
);

const remove = route(
  {
    id: 'actorBuild_delete',
    method: 'DELETE',
    path: '/actor-builds/{buildId}',
    aliases: [{ id: 'act_build_delete', path: '/actors/{actorId}/builds/{buildId}' }],
    summary: 'Delete a build that is finished, and is not the default one of its Actor',
    access: { action: 'deleteBuild' },
    params: ById,
    isData: true,
    reply: { 204: null },
  },
  async (call, kernel) => {
    const { id } = await openOne(kernel, call, 'deleteBuild');
    await removeBuild(kernel, id, call.now);
    return reply(204);
  },
);

const getLog = route(
  {
    id: 'actorBuild_log_get',
    method: 'GET',
    path: '/actor-builds/{buildId}/log',
    aliases: [{ id: 'act_build_log_get', path: '/actors/{actorId}/builds/{buildId}/log' }],
    isContent: true,
    summary: 'Get the log of a build',
    description: PUBLIC_LOGS,
    access: VIEW,
    params: ById,
    query: LogQuery,
    produces: 'text/plain; charset=utf-8',
    reply: { 200: Type.String() },
  },
  async (call, kernel) => {
    const { id } = await openOne(kernel, call, 'viewBuild');
    return await serveLog(call, kernel, id);
  },
);

const getOpenApi = route(
  {
    id: 'actorBuild_openapi_json_get',
    method: 'GET',
    path: '/actor-builds/{buildId}/openapi.json',
    aliases: [{ id: 'act_build_openapi_json_get', path: '/actors/{actorId}/builds/{buildId}/openapi.json' }],
    summary: 'Get an OpenAPI document that describes how to run the Actor in this build',
    access: VIEW,
    params: ById,
    produces: 'application/json',
    reply: { 200: Type.Object({}, { additionalProperties: true, description: 'An OpenAPI document' }) },
  },
  async (call, kernel) => {
    const build = await openOne(kernel, call, 'viewBuild');
    const { db, publicUrl } = kernel;
    const actor = await findActorById(db, build.actorId);
    const account = await findAccount(db, { id: build.userId });
    if (actor === undefined || account === undefined) throw buildNotFound();
    const document = openApiOfBuild({ actor, username: account.username, build, publicUrl });
    return new Text('application/json; charset=utf-8', JSON.stringify(document));
  },
);

/** The build of the path; where the path names an Actor too, it must be of that one. */
async function openOne(
  kernel: Kernel,
  call: BuildCall & { params: { buildId: string } },
  action: BuildAction,
): Promise<Build> {
  // The deprecated paths have it too.
  const { buildId, actorId } = call.params as { buildId: string; actorId?: string };
  const build = await openBuild(kernel, call, buildId, action);
  if (actorId === undefined) return build;
  const actor = await openActor(kernel, call, actorId, 'viewActor');
  if (actor.id !== build.actorId) throw buildNotFound();
  return build;
}

async function buildAfterWait(kernel: Kernel, call: WaitCall, build: Build): Promise<Build> {
  const later = await afterWait(kernel, call, 'build', build, (id) => findBuild(kernel.db, id));
  if (later === undefined) throw buildNotFound();
  return later;
}

function shown({ clock }: Kernel, { caller }: BuildCall, build: Build) {
  return toBuildDetail(build, { now: clock.now(), isOwner: isBuildOwner(caller, build) });
}

export const buildRoutes = [list, listOfActor, start, getDefault, get, getLog, getOpenApi, abort, remove];
