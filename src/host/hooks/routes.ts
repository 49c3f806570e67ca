// Webhooks of repositories and organizations: list, create, get, change, delete, ping and test them.
import { Page } from '../../kernel/http/reply/page.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import {
  reply,
  route,
  type Call,
  type HandlerResult,
  type Route,
  type RouteShape,
} from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { HostPageQuery, pageSliceOf } from '../list-query.ts';
import {
  findHookOf,
  HOOK_PLACES,
  UPDATE_HOOKS,
  VIEW_HOOKS,
  type HookCall,
  type HookPlace,
  type HookPlaceName,
} from './access.ts';
import { changeHook, createHook, removeHook } from './change-hooks.ts';
import type { Hook } from './hook.ts';
import {
  HookConfigReply,
  HookConfigUpdate,
  HookCreation,
  HookUpdate,
  OrganizationHook,
  OrganizationHookUpdate,
  RepositoryHook,
  toHookConfig,
  toOrganizationHook,
  toRepositoryHook,
} from './model.ts';
import { enqueuePing, enqueueTest } from './ping.ts';
import { countHooks, listHooks } from './store.ts';

/** The parameter of paths below a hook. */
export const HookParam = { hook_id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }) };

/** A route below a repository or an organization: the handler gets it, where the caller may do this to its hooks. */
export function hookRoute<const S extends RouteShape>(
  place: HookPlaceName,
  shape: S,
  handle: (call: Call<S>, kernel: Kernel, at: HookPlace) => HandlerResult<S> | Promise<HandlerResult<S>>,
): Route<S> {
  const { open } = HOOK_PLACES[place];
  return route(
    shape,
    async (call, kernel) => await handle(call, kernel, await open(kernel, call as unknown as HookCall)),
    async (call, kernel) => void (await open(kernel, call)),
  );
}

/** The parameters of the place are not used by handlers, which get the place. */
export function hookParams<Own extends Record<string, ReturnType<typeof Type.Integer>>>(
  place: HookPlaceName,
  own: Own,
) {
  const all: Own = { ...HOOK_PLACES[place].params, ...own };
  return Type.Object(all);
}

function hookRoutesOf(place: HookPlaceName): Route[] {
  const ofRepositories = place === 'repos';
  const { path } = HOOK_PLACES[place];
  const what = ofRepositories ? 'repository' : 'organization';
  const HookReply = ofRepositories ? RepositoryHook : OrganizationHook;
  const Hooks = hookParams(place, {});
  const ById = hookParams(place, HookParam);
  const show = (hook: Hook, at: HookPlace, base: string) =>
    (ofRepositories ? toRepositoryHook : toOrganizationHook)(hook, base + at.path);

  const list = hookRoute(
    place,
    {
      id: `${place}/list-webhooks`,
      method: 'GET',
      path: `${path}/hooks`,
      summary: `List the webhooks of ${articled(what)}`,
      access: VIEW_HOOKS,
      params: Hooks,
      query: Type.Object(HostPageQuery),
      list: HookReply,
    },
    async ({ query, base }, { db }, at) => {
      const slice = pageSliceOf(query);
      const [hooks, total] = await Promise.all([listHooks(db, at.target, slice), countHooks(db, at.target)]);
      return new Page(hooks, total, slice).map((hook) => show(hook, at, base));
    },
  );

  const create = hookRoute(
    place,
    {
      id: `${place}/create-webhook`,
      method: 'POST',
      path: `${path}/hooks`,
      summary: `Create a webhook of ${articled(what)}`,
      description:
        'It hears of what happens from then on, first of a `ping`. Each event may have 20 webhooks. Webhooks with the same ' +
        'config must not have events in common.',
      access: UPDATE_HOOKS,
      params: Hooks,
      body: HookCreation,
      reply: { 201: HookReply },
    },
    async (call, kernel, at) => {
      const hook = show(await createHook(kernel, call, at, call.body), at, call.base);
      return reply(201, hook, { location: hook.url });
    },
  );

  const get = hookRoute(
    place,
    {
      id: `${place}/get-webhook`,
      method: 'GET',
      path: `${path}/hooks/{hook_id}`,
      summary: `Get a webhook of ${articled(what)}`,
      access: VIEW_HOOKS,
      params: ById,
      reply: { 200: HookReply },
    },
    async ({ params, base }, { db }, at) => show(await findHookOf(db, at, params.hook_id), at, base),
  );

  const update = hookRoute(
    place,
    {
      id: `${place}/update-webhook`,
      method: 'PATCH',
      path: `${path}/hooks/{hook_id}`,
      summary: `Change a webhook of ${articled(what)}`,
      description: 'A `config` without a `secret` removes the secret; the route of the config leaves it.',
      access: UPDATE_HOOKS,
      params: ById,
      body: ofRepositories ? HookUpdate : OrganizationHookUpdate,
      reply: { 200: HookReply },
    },
    async (call, kernel, at) =>
      show(
        await changeHook(kernel, call, { place: at, number: call.params.hook_id }, call.body),
        at,
        call.base,
      ),
  );

  const remove = hookRoute(
    place,
    {
      id: `${place}/delete-webhook`,
      method: 'DELETE',
      path: `${path}/hooks/{hook_id}`,
      summary: `Delete a webhook of ${articled(what)}, with its deliveries`,
      access: UPDATE_HOOKS,
      params: ById,
      reply: { 204: null },
    },
    async (call, kernel, at) => {
      await removeHook(kernel, call, { place: at, number: call.params.hook_id });
      return reply(204);
    },
  );

  const getConfig = hookRoute(
    place,
    {
      id: `${place}/get-webhook-config-for-${ofRepositories ? 'repo' : 'org'}`,
      method: 'GET',
      path: `${path}/hooks/{hook_id}/config`,
      summary: `Get the config of a webhook of ${articled(what)}`,
      access: VIEW_HOOKS,
      params: ById,
      reply: { 200: HookConfigReply },
    },
    async ({ params }, { db }, at) => toHookConfig((await findHookOf(db, at, params.hook_id)).config),
  );

  const updateConfig = hookRoute(
    place,
    {
      id: `${place}/update-webhook-config-for-${ofRepositories ? 'repo' : 'org'}`,
      method: 'PATCH',
      path: `${path}/hooks/{hook_id}/config`,
      summary: `Change the config of a webhook of ${articled(what)}`,
      description: 'Fields that are absent stay, the secret included.',
      access: UPDATE_HOOKS,
      params: ById,
      body: HookConfigUpdate,
      bodyIsOptional: true,
      reply: { 200: HookConfigReply },
    },
    async (call, kernel, at) => {
      const { params, body: config = {} } = call;
      const target = { place: at, number: params.hook_id };
      return toHookConfig((await changeHook(kernel, call, target, { config }, 'fields')).config);
    },
  );

  const ping = hookRoute(
    place,
    {
      id: `${place}/ping-webhook`,
      method: 'POST',
      path: `${path}/hooks/{hook_id}/pings`,
      summary: `Send a ping to a webhook of ${articled(what)}`,
      access: UPDATE_HOOKS,
      params: ById,
      reply: { 204: null },
      isData: true,
    },
    async ({ params, caller, now }, kernel, at) => {
      const hook = await findHookOf(kernel.db, at, params.hook_id);
      await kernel.db
        .transaction()
        .execute((tx) => enqueuePing(tx, kernel, { hook, place: at, caller }, now));
      return reply(204);
    },
  );

  return [list, create, get, update, remove, getConfig, updateConfig, ping];
}

function articled(noun: string): string {
  return /^[aeiou]/.test(noun) ? `an ${noun}` : `a ${noun}`;
}

const testPush = hookRoute(
  'repos',
  {
    id: 'repos/test-push-webhook',
    method: 'POST',
    path: '/repos/{owner}/{repo}/hooks/{hook_id}/tests',
    summary: 'Send the last push to a webhook of a repository',
    description: 'A webhook that does not ask for pushes gets nothing.',
    aliases: [{ path: '/repos/{owner}/{repo}/hooks/{hook_id}/test' }],
    access: UPDATE_HOOKS,
    params: hookParams('repos', HookParam),
    reply: { 204: null },
    isData: true,
  },
  async ({ params, caller, now }, kernel, at) => {
    await enqueueTest(
      kernel,
      { hook: await findHookOf(kernel.db, at, params.hook_id), place: at, caller },
      now,
    );
    return reply(204);
  },
);

export const hookRoutes = [...hookRoutesOf('repos'), testPush, ...hookRoutesOf('orgs')];
