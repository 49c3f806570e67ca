// Changes of all APIs as the activity feed shows them: a sentence, who, where, and the resource before and after.
import { cutWebhookUrls } from '../../flags/audit-log/model.ts';
import type { AuditEntry } from '../../kernel/change/change.ts';
import { OneOf, Type, type Static } from '../../kernel/schema/schema.ts';

export const PRODUCTS = ['flags', 'actors', 'code', 'account'] as const;
export type Product = (typeof PRODUCTS)[number];

/** By the first word of a resource's specifier, for all that is recorded. */
const PRODUCT_OF: Readonly<Record<string, Product>> = {
  acct: 'account',
  member: 'account',
  role: 'account',
  'service-token': 'account',
  team: 'account',
  'code-reference-repository': 'flags',
  integration: 'flags',
  proj: 'flags',
  'relay-proxy-config': 'flags',
  webhook: 'flags',
  app: 'code',
  gist: 'code',
  org: 'code',
  repo: 'code',
  user: 'code',
  'actor-build': 'actors',
  'actor-run': 'actors',
  'actor-task': 'actors',
  'actor-webhook': 'actors',
  actor: 'actors',
  dataset: 'actors',
  'key-value-store': 'actors',
  'request-queue': 'actors',
  schedule: 'actors',
};

/** What another release recorded, and this one does not know, is shown with what concerns the whole account. */
export function productOf(resource: string): Product {
  return findProduct(resource) ?? 'account';
}

export function findProduct(resource: string): Product | undefined {
  const type = resource.split(/[/:]/, 1)[0]!;
  return Object.hasOwn(PRODUCT_OF, type) ? PRODUCT_OF[type] : undefined;
}

const SUMMARY = {
  id: Type.String(),
  at: Type.Integer({ description: 'In epoch milliseconds' }),
  product: OneOf(PRODUCTS),
  action: Type.String({ description: 'The permission that it needed' }),
  resource: Type.String({ description: 'The specifier of what was changed' }),
  kind: Type.String(),
  name: Type.String({ description: 'Of what was changed, at that time' }),
  verb: Type.String({ description: 'Between the person and the name: `turned on the flag`' }),
  description: Type.Optional(Type.String({ description: 'Markdown, a line for each thing that changed' })),
  comment: Type.Optional(Type.String()),
  member: Type.Optional(
    Type.Object({ id: Type.String(), email: Type.String(), name: Type.Optional(Type.String()) }),
  ),
  token: Type.Optional(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      ending: Type.String(),
      isService: Type.Boolean(),
    }),
  ),
};

export const Activity = Type.Object(SUMMARY, { $id: 'Activity' });

export const ActivityDetail = Type.Object(
  {
    ...SUMMARY,
    before: Type.Optional(Type.Unknown({ description: 'The resource before; absent where it was created' })),
    after: Type.Optional(Type.Unknown({ description: 'The resource after; absent where it was deleted' })),
  },
  { $id: 'ActivityDetail' },
);

export function toActivity(stored: AuditEntry): Static<typeof Activity> {
  const entry = cutWebhookUrls(stored);
  const { id, at, accesses, resource, kind, name, verb, description, comment, who } = entry;
  const { member, token } = who;
  const fullName = [member?.firstName, member?.lastName].filter(Boolean).join(' ');
  return {
    id,
    at,
    product: productOf(resource),
    action: accesses[0]?.action ?? '',
    resource,
    kind,
    name,
    verb,
    ...(description !== undefined && { description }),
    ...(comment !== undefined && { comment }),
    ...(member && {
      member: { id: member._id, email: member.email, ...(fullName !== '' && { name: fullName }) },
    }),
    ...(token && {
      token: { id: token._id, name: token.name, ending: token.ending, isService: token.serviceToken },
    }),
  };
}

export function toActivityDetail(stored: AuditEntry): Static<typeof ActivityDetail> {
  const { before, after } = cutWebhookUrls(stored);
  return {
    ...toActivity(stored),
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
  };
}
