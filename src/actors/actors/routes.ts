// Actors: list, create, get, change, delete.
import { accountOf } from '../../kernel/identity/caller.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { reply, route, type Route } from '../../kernel/http/route.ts';
import { OneOf, Type } from '../../kernel/schema/schema.ts';
import { LIST_QUERY, listSliceOf } from '../list-query.ts';
import { actorDenied, openActor } from './access.ts';
import { changeActor, createActor, removeActor } from './change-actor.ts';
import { ActorShort, CreateActor, ShownActor, toActorShort, UpdateActor } from './model.ts';
import { showActor } from './show-actor.ts';
import { listActors } from './store.ts';
import { countRecentUsers } from './store-users.ts';

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

export const actorRoutes = [list, create, get, update, remove] as Route[];
