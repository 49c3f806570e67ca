// Actors: list, create, get, change, delete, and how a caller sees one, with its versions and tagged builds.
import { accountOf } from '../../kernel/identity/caller.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { reply, route, type Route, JsonText, Stream, type Reply } from '../../kernel/http/route.ts';
import { OneOf, Type } from '../../kernel/schema/schema.ts';
import { findAccount } from '../../kernel/identity/store-accounts.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { LIST_QUERY, listSliceOf } from '../list-query.ts';
import { actorDenied, openActor, actorResource, isOwnerOf, type ActorCall } from './access.ts';
import { changeActor, createActor, removeActor } from './change-actor.ts';
import {
  ActorShort,
  CreateActor,
  ShownActor,
  toActorShort,
  UpdateActor,
  toShownActor,
  type Actor,
} from './model.ts';
import { listActors } from './store.ts';
import { countRecentUsers } from './store-users.ts';
import { listTags } from './store-tags.ts';
import { findVersion, findVersionTotals, listVersions } from './store-versions.ts';
import { toVersionJson, type VersionView } from './version.ts';

/** The path parameter of everything below an Actor. */
export const ByActor = Type.Object({
  actorId: Type.String({ description: 'The id, `username~name`, or `~name` for one of your own' }),
});

const list = route(
  {
    id: 'acts_get',
    method: 'GET',
    path: '/actors',
    summary: 'List your Actors',
    access: { action: 'viewActor' },
    query: Type.Object({
      my: Type.Boolean({ default: true, description: 'Accepted for clients: the list has only your own' }),
      ...LIST_QUERY.properties,
      sortBy: OneOf(['createdAt', 'stats.lastRunStartedAt'], { default: 'createdAt' }),
    }),
    list: ActorShort,
  },
  async (call, { db }) => {
    if (!call.can('actor/*')) throw actorDenied();
    const { desc, sortBy } = call.query;
    const { id: userId, username } = accountOf(call.caller);
    const slice = listSliceOf(call.query);
    const { items, total } = await listActors(db, { userId, sortBy }, slice, desc);
    const usersOf = await countRecentUsers(
      db,
      items.map(({ id }) => id),
      call.now,
    );
    return new Page(
      items.map((actor) => toActorShort(actor, username, usersOf(actor.id))),
      total,
      slice,
      desc,
    );
  },
);

const create = route(
  {
    id: 'acts_post',
    method: 'POST',
    path: '/actors',
    summary: 'Create an Actor',
    description:
      'Everything has a default, the name too. The Actor can run once one of its versions is built.',
    access: { action: 'createActor' },
    body: CreateActor,
    bodyIsOptional: true,
    reply: { 201: ShownActor },
  },
  async (call, kernel) => {
    if (!call.can('actor/*')) throw actorDenied();
    const actor = await createActor(kernel, call, call.body ?? {});
    return await showActor(kernel, call, actor, 201);
  },
);

const get = route(
  {
    id: 'act_get',
    method: 'GET',
    path: '/actors/{actorId}',
    summary: 'Get an Actor with its versions and tagged builds',
    description:
      'Others see a public Actor, without its environment variables, and without its sources unless `isSourceCodeHidden` is false.',
    access: { action: 'viewActor', ofOwner: true },
    params: ByActor,
    reply: { 200: ShownActor },
  },
  async (call, kernel) =>
    await showActor(kernel, call, await openActor(kernel, call, call.params.actorId, 'viewActor')),
);

const update = route(
  {
    id: 'act_put',
    method: 'PUT',
    path: '/actors/{actorId}',
    summary: 'Change an Actor',
    description:
      'What is absent stays as it is. Versions that the list names are changed or added, others stay; the same goes for tagged builds.',
    access: { action: 'updateActor', ofOwner: true },
    params: ByActor,
    body: UpdateActor,
    reply: { 200: ShownActor },
  },
  async (call, kernel) => {
    const opened = await openActor(kernel, call, call.params.actorId, 'updateActor');
    const actor = await changeActor(kernel, call, opened, call.body);
    return await showActor(kernel, call, actor);
  },
);

const remove = route(
  {
    id: 'act_delete',
    method: 'DELETE',
    path: '/actors/{actorId}',
    summary: 'Delete an Actor with its versions, builds and runs',
    description: 'Its unfinished builds and runs are aborted. Named storages of its runs stay.',
    access: { action: 'deleteActor', ofOwner: true },
    params: ByActor,
    reply: { 204: null },
  },
  async (call, kernel) => {
    const opened = await openActor(kernel, call, call.params.actorId, 'deleteActor');
    await removeActor(kernel, call, opened);
    return reply(204);
  },
);

export const WHOLE_VERSION: VersionView = { envVars: true, source: true };

/** Writing more at once would keep other calls waiting. */
const MAX_BYTES_AT_ONCE = 1024 * 1024;

async function showActor(
  { db, publicUrl, clock }: Pick<Kernel, 'db' | 'publicUrl' | 'clock'>,
  call: ActorCall,
  actor: Actor,
  status = 200,
): Promise<Reply | Stream> {
  const tags = await listTags(db, actor.id);
  const users = (await countRecentUsers(db, [actor.id], clock.now()))(actor.id);
  const username = await usernameOf(db, call, actor);
  const shown = JSON.stringify(toShownActor(actor, username, users, tags, publicUrl));
  return await withVersions(db, actor.id, viewOf(call, actor), {
    status,
    head: `${shown.slice(0, -1)},"versions":[`,
    tail: ']}',
  });
}

/** A JSON text around the list of versions. */
interface VersionFrame {
  status: number;
  head: string;
  tail: string;
}

/** Sends the sources of many versions one after another, because they may have some megabytes each. */
export async function withVersions(
  db: Db,
  actorId: string,
  view: VersionView,
  { status, head, tail }: VersionFrame,
): Promise<Reply | Stream> {
  const isLarge =
    view.source !== false && (await findVersionTotals(db, actorId)).sourceBytes > MAX_BYTES_AT_ONCE;
  const versions = await listVersions(
    db,
    actorId,
    isLarge || view.source === false ? 'without sources' : undefined,
  );
  if (!isLarge) {
    const texts = versions.map((version) => toVersionJson(version, view)).join(',');
    return reply(status, new JsonText(head + texts + tail));
  }
  const numbers = versions.map(({ number }) => number);
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  return new Stream(piecesOf(db, actorId, numbers, view, { head, tail }), headers, status);
}

/** A version that is deleted meanwhile is left out. */
async function* piecesOf(
  db: Db,
  actorId: string,
  numbers: readonly string[],
  view: VersionView,
  { head, tail }: Pick<VersionFrame, 'head' | 'tail'>,
): AsyncGenerator<string, void> {
  yield `{"data":${head}`;
  // A stream takes no empty piece.
  let separator = ' ';
  for (const number of numbers) {
    const version = await findVersion(db, actorId, number);
    if (version === undefined) continue;
    yield separator;
    yield* slicesOf(toVersionJson(version, view));
    separator = ',';
  }
  yield `${tail}}`;
}

const SLICE_LENGTH = 256 * 1024;

/** Never cuts between the two halves of a character. */
function* slicesOf(text: string): Generator<string, void> {
  for (let start = 0; start < text.length;) {
    const end = start + SLICE_LENGTH;
    const isCut = end < text.length && /[\uD800-\uDBFF]/.test(text[end - 1]!);
    yield text.slice(start, isCut ? end + 1 : end);
    start = isCut ? end + 1 : end;
  }
}

/** Variables are the owner's alone. Others see the sources of a public Actor where its owner shows them. */
function viewOf(call: ActorCall, actor: Actor): VersionView {
  if (isOwnerOf(call.caller, actor)) {
    const isAllowed = call.can(actorResource(actor), 'viewActorVersion');
    return { envVars: isAllowed, source: isAllowed };
  }
  return { envVars: false, source: actor.details.isSourceCodeHidden === false ? 'public' : false };
}

async function usernameOf(db: Db, { caller }: ActorCall, { userId }: Pick<Actor, 'userId'>): Promise<string> {
  const own = accountOf(caller);
  if (own.id === userId) return own.username;
  return (await findAccount(db, { id: userId }))?.username ?? '';
}

export const actorRoutes = [list, create, get, update, remove] as Route[];
