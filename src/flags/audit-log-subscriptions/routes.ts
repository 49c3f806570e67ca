// Audit-log subscriptions of integrations: list, create, get, patch, delete.
import { type Access, requireAllPermissions, requireAnyPermission } from '../../kernel/identity/actor.ts';
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import type { Change } from '../../kernel/change/change.ts';
import { Failure } from '../../kernel/failure.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import { parseStatements } from '../../kernel/identity/policy.ts';
import { areEqual } from '../../kernel/json/json-value.ts';
import { shorten } from '../../kernel/json/pointer.ts';
import { reply, route, type Call } from '../../kernel/http/route.ts';
import { problem, Type } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { summarizeDeliveries } from '../../kernel/webhooks/store-deliveries.ts';
import { scheduleDeliveryRemoval } from '../../kernel/webhooks/store-removal.ts';
import { normalizeTags } from '../fields.ts';
import { unknownThing } from '../find-project.ts';
import { Links, linkTo } from '../links.ts';
import { takesPatches } from '../patch/patch-document.ts';
import { readDocumentPatch, updateOf, type DocumentPatch } from '../patch/patch.ts';
import { FLAGS_API, type Subscription } from '../webhooks/model.ts';
import {
  countSubscriptions,
  deleteWebhook,
  findSubscription,
  insertWebhook,
  listSubscriptions,
  lockWebhooks,
  updateWebhook,
} from '../webhooks/store.ts';
import {
  openConfig,
  readConfig,
  type SentConfig,
  SUBSCRIPTION_ACTIONS,
  editSubscription,
  integrationResource,
  subscriptionAccesses,
  SubscriptionPost,
  SubscriptionRep,
  subscriptionResource,
  toSubscriptionRep,
} from './model.ts';
import { INTEGRATIONS, type Integration } from './integrations.ts';

/** Every change is matched against all of them, and stored once for each that receives it. */
const MAX_SUBSCRIPTIONS = 100;
const VIEW = 'viewIntegration';
const [CREATE, DELETE] = ['createIntegration', 'deleteIntegration'] as const;
const ByIntegration = Type.Object({
  integrationKey: Type.String({ description: [...INTEGRATIONS.keys()].join(', ') }),
});
const BySubscription = Type.Object({ ...ByIntegration.properties, id: Type.String() });

const getSubscriptions = route(
  {
    id: 'getSubscriptions',
    method: 'GET',
    path: '/integrations/{integrationKey}',
    summary: 'List the audit-log subscriptions of an integration',
    access: { action: VIEW },
    params: ByIntegration,
    reply: {
      200: Type.Object(
        {
          items: Type.Array(SubscriptionRep),
          totalCount: Type.Integer(),
          key: Type.String(),
          _links: Links,
        },
        { $id: 'Integrations' },
      ),
    },
  },
  async (call, { db }) => {
    const { integrationKey: key } = call.params;
    requireIntegration(key);
    const all = await listSubscriptions(db, key);
    const seen = all.filter((subscription) => call.can(subscriptionResource(subscription)));
    // Denies callers who may see none at all; if there are none, this reveals nothing.
    if (seen.length === 0) call.requirePermission(integrationResource(key, []));
    const items = seen.map((subscription) => toSubscriptionRep(subscription));
    return { items, totalCount: items.length, key, _links: { self: linkTo(`/integrations/${key}`) } };
  },
);

const postSubscription = route(
  {
    id: 'createSubscription',
    method: 'POST',
    path: '/integrations/{integrationKey}',
    summary: 'Create an audit-log subscription',
    description:
      'Every change that the statements speak of is sent to the service, with its comment, in the form that the service ' +
      `expects. Deliveries, retries and limits are those of webhooks. Settings by integration: ${describeFields()}.`,
    access: { action: CREATE },
    params: ByIntegration,
    body: SubscriptionPost,
    reply: { 201: SubscriptionRep },
  },
  async (call, { changes, guard, secrets }) => {
    const { body, now, params } = call;
    const integration = requireIntegration(params.integrationKey);
    const tags = normalizeTags(body.tags ?? []);
    call.requirePermission(integrationResource(params.integrationKey, tags));
    const config = await readConfig(secrets, integration, sentConfig(body));
    guard.checkUrl(integration.url(openConfig(secrets, config)));
    const wanted = {
      name: body.name,
      url: '',
      on: body.on ?? false,
      tags,
      statements: parseStatements(body.statements ?? []),
      integration: { key: params.integrationKey, config },
      savedBy: accountOf(call.caller).id,
    };
    const subscription = await changes.run(call, async (tx) => {
      await lockWebhooks(tx.db);
      if ((await countSubscriptions(tx.db)) >= MAX_SUBSCRIPTIONS)
        throw problem('body', `would be one more than ${MAX_SUBSCRIPTIONS} subscriptions`);
      const made: Subscription = { ...(await insertWebhook(tx.db, wanted, now)), ...wanted };
      record(tx, made, [access(CREATE, made)], { verb: 'created', after: toSubscriptionRep(made) });
      return made;
    });
    const shown = toSubscriptionRep(subscription);
    return reply(201, shown, { location: shown._links['self']!.href });
  },
);

const getSubscription = route(
  {
    id: 'getSubscriptionByID',
    method: 'GET',
    path: '/integrations/{integrationKey}/{id}',
    summary: 'Get an audit-log subscription, and how its deliveries went',
    access: { action: VIEW },
    params: BySubscription,
    reply: { 200: SubscriptionRep },
  },
  async (call, { db }) => await show(db, await open(call, db)),
);

const patchSubscription = route(
  {
    id: 'updateSubscription',
    method: 'PATCH',
    path: '/integrations/{integrationKey}/{id}',
    summary: 'Change an audit-log subscription by JSON patch',
    description: 'Where the address changes, secrets have to be sent again.',
    access: { action: 'update*', others: [VIEW] },
    params: BySubscription,
    ...takesPatches('Subscription', { json: true }),
    reply: { 200: SubscriptionRep },
  },
  async (call, { changes, db, guard, secrets }) => {
    const patch = readDocumentPatch(call, ['json']);
    const integration = requireIntegration(call.params.integrationKey);
    // The first secret of a server may wait for the database, so this comes before the transaction.
    if (mayHoldConfig(patch)) await secrets.seal('');
    const subscription = await changes.run(call, async (tx) => {
      const before = await open(call, tx.db, 'hold');
      const wanted = editSubscription(toSubscriptionRep(before), patch);
      const { key, config: known } = before.integration;
      const config = await readConfig(secrets, integration, wanted.config, known);
      const after: Subscription & { savedBy: string } = {
        ...before,
        name: wanted.name,
        on: wanted.on ?? false,
        tags: normalizeTags(wanted.tags ?? []),
        statements: parseStatements(wanted.statements ?? []),
        integration: { key, config },
        savedBy: accountOf(call.caller).id,
      };
      const [first, ...others] = subscriptionAccesses(before, after);
      if (first === undefined) {
        requireAnyPermission(call, SUBSCRIPTION_ACTIONS, subscriptionResource(before));
        return before;
      }
      requireAllPermissions(call, [first, ...others]);
      if (!areEqual(config, known)) guard.checkUrl(integration.url(openConfig(secrets, config)));
      await updateWebhook(tx.db, after, call.now);
      record(tx, after, [first, ...others], {
        verb: 'updated',
        before: toSubscriptionRep(before),
        after: toSubscriptionRep(after),
        comment: patch.comment,
        ...(!mayHoldConfig(patch) && { update: updateOf(patch) }),
      });
      return after;
    });
    return await show(db, subscription);
  },
);

const deleteSubscription = route(
  {
    id: 'deleteSubscription',
    method: 'DELETE',
    path: '/integrations/{integrationKey}/{id}',
    summary: 'Delete an audit-log subscription, and what waits to be sent to it',
    access: { action: DELETE, others: [VIEW] },
    params: BySubscription,
    reply: { 204: null },
  },
  async (call, { changes }) => {
    requireIntegration(call.params.integrationKey);
    await changes.run(call, async (tx) => {
      const subscription = await open(call, tx.db, 'hold');
      call.requirePermission(subscriptionResource(subscription));
      await deleteWebhook(tx.db, subscription.id);
      await scheduleDeliveryRemoval(tx.db, { api: FLAGS_API, hookId: subscription.id }, call.now);
      record(tx, subscription, [access(DELETE, subscription)], {
        verb: 'deleted',
        before: toSubscriptionRep(subscription),
      });
    });
    return reply(204);
  },
);

export const subscriptionRoutes = [
  getSubscriptions,
  postSubscription,
  getSubscription,
  patchSubscription,
  deleteSubscription,
];

function requireIntegration(key: string): Integration {
  const integration = INTEGRATIONS.get(key);
  if (integration !== undefined) return integration;
  const known = [...INTEGRATIONS.keys()].join(', ');
  throw new Failure('not-found', `There is no integration "${shorten(key)}". There are: ${known}.`);
}

/** With `hold`, locks the row until the transaction ends. */
async function open(
  call: Pick<Call, 'requirePermission'> & { params: { integrationKey: string; id: string } },
  db: Db,
  hold?: 'hold',
): Promise<Subscription> {
  const { integrationKey, id } = call.params;
  requireIntegration(integrationKey);
  const subscription = await findSubscription(db, integrationKey, id, hold);
  if (subscription === undefined) throw unknownThing('subscription', id);
  call.requirePermission(subscriptionResource(subscription), VIEW);
  return subscription;
}

async function show(db: Db, subscription: Subscription) {
  const hook = { api: FLAGS_API, hookId: subscription.id };
  return toSubscriptionRep(subscription, await summarizeDeliveries(db, hook));
}

/** Old clients have the only setting of Slack and of Datadog beside the others. */
function sentConfig({ config = {}, url, apiKey }: { config?: SentConfig; url?: string; apiKey?: string }) {
  return { ...(url !== undefined && { url }), ...(apiKey !== undefined && { apiKey }), ...config };
}

/** The audit log does not store a patch that may hold a secret. */
function mayHoldConfig(patch: DocumentPatch): boolean {
  if (patch.kind === 'merge') return Object.hasOwn(patch.fields, 'config');
  return patch.operations.some((operation) =>
    /^(\/config(\/.*)?)?$/.test((operation as { path: string }).path),
  );
}

function describeFields(): string {
  return [...INTEGRATIONS]
    .map(([key, { fields }]) => {
      const names = Object.entries(fields).map(([name, { isOptional, default: usual }]) =>
        isOptional || usual !== undefined ? `${name} (optional)` : name,
      );
      return `\`${key}\`: ${names.join(', ')}`;
    })
    .join('; ');
}

function access(action: string, subscription: Subscription): Access {
  return { action, resource: subscriptionResource(subscription) };
}

function record(
  tx: ChangeTransaction,
  { name }: Subscription,
  accesses: Change['accesses'],
  { verb, ...change }: Pick<Change, 'verb' | 'before' | 'after' | 'comment' | 'update'>,
): void {
  tx.record({ accesses, kind: 'integration', name, verb: `${verb} the audit log subscription`, ...change });
}
