// Relay Proxy configurations: list, create, get, patch, reset, delete.
import type { Access } from '../../kernel/identity/actor.ts';
import { requireAllPermissions, requireAnyPermission } from '../../kernel/identity/actor.ts';
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import type { Change } from '../../kernel/change/change.ts';
import { newId } from '../../kernel/id.ts';
import { newSecret } from '../../kernel/secrets/secret.ts';
import { findMember, listMembersById } from '../../kernel/identity/store-members.ts';
import { reply, route, type Call } from '../../kernel/http/route.ts';
import { problem, Type } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { Instant } from '../fields.ts';
import { unknownThing } from '../find-project.ts';
import { Links, linkTo } from '../links.ts';
import { takesPatches } from '../patch/patch-document.ts';
import { areEqual } from '../../kernel/json/json-value.ts';
import { readDocumentPatch, updateOf } from '../patch/patch.ts';
import {
  RELAY_PROXY_CONFIG_ACTIONS,
  EditableRelayProxyConfig,
  patchRelayProxyConfig,
  readRelayPolicy,
  RELAY_PROXY_CONFIGS,
  relayProxyConfigAccesses,
  RelayProxyConfigPost,
  RelayProxyConfigRep,
  relayProxyConfigResource,
  toRelayProxyConfigRep,
  type RelayProxyConfig,
} from './model.ts';
import { allowedEnvironments, SERVE } from './relay-environment.ts';
import {
  deleteRelayProxyConfig,
  findRelayProxyConfig,
  insertRelayProxyConfig,
  listRelayProxyConfigs,
  lockRelayProxyConfigs,
  readRelayState,
  updateRelayProxyConfig,
} from './store.ts';

/** Begins every key, by which scanners and people recognise a leaked one. */
const KEY_PREFIX = 'rel-';
const MAX_CONFIGS = 100;
const ById = Type.Object({ id: Type.String() });
const VIEW = 'viewRelayAutoConfiguration';
const [CREATE, RESET, DELETE] = [
  'createRelayAutoConfiguration',
  'resetRelayAutoConfiguration',
  'deleteRelayAutoConfiguration',
] as const;

const getConfigs = route(
  {
    id: 'getRelayProxyConfigs',
    method: 'GET',
    path: RELAY_PROXY_CONFIGS,
    summary: 'List Relay Proxy configurations, the oldest first',
    access: { action: VIEW },
    reply: {
      200: Type.Object(
        { items: Type.Array(RelayProxyConfigRep), totalCount: Type.Integer(), _links: Links },
        { $id: 'RelayAutoConfigCollectionRep' },
      ),
    },
  },
  async (call, { db }) => {
    const all = await listRelayProxyConfigs(db);
    const seen = all.filter((config) => call.can(relayProxyConfigResource(config)));
    // Denies callers who may see none at all; if there are none, this reveals nothing.
    if (seen.length === 0) call.requirePermission('relay-proxy-config/*');
    const ids = [...new Set(seen.map(({ creatorId }) => creatorId))];
    const creators = ids.length === 0 ? [] : await listMembersById(db, ids);
    const byId = new Map(creators.map((member) => [member.id, member]));
    const items = seen.map((config) => toRelayProxyConfigRep(config, byId.get(config.creatorId)));
    return {
      items,
      totalCount: items.length,
      _links: { self: linkTo(RELAY_PROXY_CONFIGS), parent: linkTo('/account') },
    };
  },
);

const postConfig = route(
  {
    id: 'postRelayAutoConfig',
    method: 'POST',
    path: RELAY_PROXY_CONFIGS,
    summary: 'Create a Relay Proxy configuration',
    description:
      'The reply is the only one to hold the whole key. The policy says which environments a Relay Proxy with it serves, ' +
      'such as `proj/*:env/production`. It takes `viewSdkKey` on all that it allows now, because the key gives their keys.',
    access: { action: CREATE },
    body: RelayProxyConfigPost,
    reply: { 201: RelayProxyConfigRep },
  },
  async (call, { changes }) => {
    const { body, caller, now } = call;
    call.requirePermission('relay-proxy-config/*');
    const policy = readRelayPolicy(body.policy);
    const { value, hash, ending } = newSecret(KEY_PREFIX);
    const fields = { name: body.name, policy, creatorId: caller.member.id, hash, ending };
    const config = { ...fields, id: newId(now), version: 1, createdAt: now, modifiedAt: now };
    await changes.run(call, async (tx) => {
      await requireKeyAccess(call, tx.db, config);
      await lockRelayProxyConfigs(tx.db);
      if ((await listRelayProxyConfigs(tx.db)).length >= MAX_CONFIGS)
        throw problem('body', `would be one more than ${MAX_CONFIGS} Relay Proxy configurations`);
      await insertRelayProxyConfig(tx.db, config);
      record(tx, config, [CREATE], { verb: 'created', after: toRelayProxyConfigRep(config) });
    });
    const shown = toRelayProxyConfigRep(config, caller.member, value);
    return reply(201, shown, { location: shown._links['self']!.href });
  },
);

const getConfig = route(
  {
    id: 'getRelayProxyConfig',
    method: 'GET',
    path: `${RELAY_PROXY_CONFIGS}/{id}`,
    summary: 'Get a Relay Proxy configuration',
    access: { action: VIEW },
    params: ById,
    reply: { 200: RelayProxyConfigRep },
  },
  async (call, { db }) => await show(db, await open(call, db)),
);

const patchConfig = route(
  {
    id: 'patchRelayAutoConfig',
    method: 'PATCH',
    path: `${RELAY_PROXY_CONFIGS}/{id}`,
    summary: 'Change name or policy of a Relay Proxy configuration by JSON patch or merge patch',
    access: { action: 'updateRelayAutoConfiguration*', others: [VIEW] },
    params: ById,
    ...takesPatches('RelayAutoConfig', { json: true, merge: () => EditableRelayProxyConfig }),
    reply: { 200: RelayProxyConfigRep },
  },
  async (call, { changes, db }) => {
    const patch = readDocumentPatch(call, ['json', 'merge']);
    const config = await changes.run(call, async (tx) => {
      const before = await open(call, tx.db, 'hold');
      const wanted = patchRelayProxyConfig(before, patch);
      const accesses = relayProxyConfigAccesses(before, wanted);
      if (accesses.length === 0) {
        requireAnyPermission(call, RELAY_PROXY_CONFIG_ACTIONS, relayProxyConfigResource(before));
        return before;
      }
      requireAllPermissions(call, accesses);
      if (!areEqual(before.policy, wanted.policy)) await requireKeyAccess(call, tx.db, wanted);
      const after = { ...wanted, version: before.version + 1, modifiedAt: call.now };
      await updateRelayProxyConfig(tx.db, before, after);
      record(
        tx,
        after,
        accesses.map(({ action }) => action),
        {
          verb: 'updated',
          before: toRelayProxyConfigRep(before),
          after: toRelayProxyConfigRep(after),
          comment: patch.comment,
          update: updateOf(patch),
        },
      );
      return after;
    });
    return await show(db, config);
  },
);

const resetConfig = route(
  {
    id: 'resetRelayAutoConfig',
    method: 'POST',
    path: `${RELAY_PROXY_CONFIGS}/{id}/reset`,
    summary: 'Give a Relay Proxy configuration a new key',
    description: 'The old key stops working at once, or at `expiry`. The reply holds the whole new key.',
    access: { action: RESET, others: [VIEW] },
    params: ById,
    query: Type.Object({
      expiry: Type.Optional(Instant('Until when the old key works, in epoch milliseconds')),
    }),
    reply: { 200: RelayProxyConfigRep },
  },
  async (call, { changes, db }) => {
    const { now, query } = call;
    const { value, hash, ending } = newSecret(KEY_PREFIX);
    const config = await changes.run(call, async (tx) => {
      const before = await open(call, tx.db, 'hold');
      call.requirePermission(relayProxyConfigResource(before));
      await requireKeyAccess(call, tx.db, before);
      const { oldHash: _hash, oldUntil: _until, ...kept } = before;
      const { expiry } = query;
      const grace = expiry !== undefined && expiry > now && { oldHash: before.hash, oldUntil: expiry };
      const after = { ...kept, hash, ending, ...grace, version: before.version + 1, modifiedAt: now };
      await updateRelayProxyConfig(tx.db, before, after);
      record(tx, after, [RESET], {
        verb: 'reset the key of',
        before: toRelayProxyConfigRep(before),
        after: toRelayProxyConfigRep(after),
      });
      return after;
    });
    return await show(db, config, value);
  },
);

const deleteConfig = route(
  {
    id: 'deleteRelayAutoConfig',
    method: 'DELETE',
    path: `${RELAY_PROXY_CONFIGS}/{id}`,
    summary: 'Delete a Relay Proxy configuration; its key stops working',
    access: { action: DELETE, others: [VIEW] },
    params: ById,
    reply: { 204: null },
  },
  async (call, { changes }) => {
    await changes.run(call, async (tx) => {
      const config = await open(call, tx.db, 'hold');
      call.requirePermission(relayProxyConfigResource(config));
      await deleteRelayProxyConfig(tx.db, config);
      record(tx, config, [DELETE], { verb: 'deleted', before: toRelayProxyConfigRep(config) });
    });
    return reply(204);
  },
);

export const relayProxyConfigRoutes = [
  getConfigs,
  postConfig,
  getConfig,
  patchConfig,
  resetConfig,
  deleteConfig,
];

/** With `hold`, the row is locked until the transaction ends. */
async function open(
  call: Pick<Call, 'requirePermission'> & { params: { id: string } },
  db: Db,
  hold?: 'hold',
): Promise<RelayProxyConfig> {
  const config = await findRelayProxyConfig(db, call.params.id, hold);
  if (config === undefined) throw unknownThing('Relay Proxy configuration', call.params.id);
  call.requirePermission(relayProxyConfigResource(config), VIEW);
  return config;
}

async function show(db: Db, config: RelayProxyConfig, key?: string) {
  return toRelayProxyConfigRep(config, await findMember(db, { id: config.creatorId }), key);
}

function record(
  tx: ChangeTransaction,
  config: RelayProxyConfig,
  actions: readonly string[],
  { verb, ...change }: Pick<Change, 'verb' | 'before' | 'after' | 'comment' | 'update'>,
): void {
  const resource = relayProxyConfigResource(config);
  const accesses = actions.map((action) => ({ action, resource })) as [Access, ...Access[]];
  const phrase = `${verb} the Relay Proxy configuration`;
  tx.record({ accesses, kind: 'relay-proxy-config', name: config.name, verb: phrase, ...change });
}

/**
 * Throws unless the caller may see the keys of all environments that the policy allows now: the key of a configuration gives
 * them away.
 */
async function requireKeyAccess(
  call: Pick<Call, 'requirePermission' | 'now'>,
  db: Db,
  config: Pick<RelayProxyConfig, 'policy'>,
): Promise<void> {
  const { environments } = await readRelayState(db, call.now);
  for (const { resource } of allowedEnvironments(config, environments))
    call.requirePermission(resource, SERVE);
}
