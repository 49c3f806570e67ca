// The representation of audit entries: who changed what, with the resource before and after, its API path, and URLs of webhooks cut to their origins.
import { Nullable, Type, type Static } from '../../kernel/schema/schema.ts';
import { Links, linkTo } from '../links.ts';
import type { AuditEntry, ChangedBy } from '../../kernel/change/change.ts';

const AccessSchema = Type.Object({ action: Type.String(), resource: Type.String() });

const Person = Type.Object({
  _links: Links,
  _id: Type.String(),
  email: Type.String(),
  firstName: Type.Optional(Type.String()),
  lastName: Type.Optional(Type.String()),
});

const SUMMARY = {
  _links: Links,
  _id: Type.String(),
  _accountId: Type.String(),
  date: Type.Integer(),
  accesses: Type.Array(AccessSchema),
  kind: Type.String(),
  name: Type.String(),
  description: Type.String(),
  shortDescription: Type.String(),
  comment: Type.Optional(Type.String()),
  subject: Type.Optional(Type.Object({ name: Type.String(), _links: Links })),
  member: Type.Optional(Person),
  token: Type.Optional(
    Type.Object({
      _links: Links,
      _id: Type.String(),
      name: Type.Optional(Type.String()),
      ending: Type.String(),
      serviceToken: Type.Boolean(),
    }),
  ),
  titleVerb: Type.String(),
  title: Type.String(),
  target: Type.Object({ _links: Links, name: Type.String(), resources: Type.Array(Type.String()) }),
  parent: Type.Optional(Type.Object({ _links: Links, name: Type.String(), resource: Type.String() })),
};

const AuditEntrySummary = Type.Object(SUMMARY, { $id: 'AuditLogEntrySummary' });

export const AuditEntryDetail = Type.Object(
  {
    ...SUMMARY,
    delta: Type.Optional(Nullable(Type.Unknown({ description: 'The JSON patch, where it was one' }))),
    merge: Type.Optional(Type.Unknown({ description: 'The merge patch, where it was one' })),
    instructions: Type.Optional(Type.Unknown({ description: 'The instructions of a semantic patch' })),
    previousVersion: Type.Optional(Type.Unknown({ description: 'The thing before, as the API shows it' })),
    currentVersion: Type.Optional(Type.Unknown({ description: 'The thing after' })),
    subentries: Type.Array(Type.Unknown()),
  },
  { $id: 'AuditLogEntry' },
);

export const AuditEntryCollection = Type.Object({ items: Type.Array(AuditEntrySummary), _links: Links });

/** There is one account on a server. */
export const ACCOUNT_ID = '000000000000000000000001';

export function toEntrySummary(stored: AuditEntry): Static<typeof AuditEntrySummary> {
  const entry = cutWebhookUrls(stored);
  const { id, at, accesses, kind, name, verb, comment, who, resource } = entry;
  const path = apiPathOf(resource);
  const self = linkTo(`/auditlog/${id}`);
  const canonical = path === undefined ? undefined : linkTo(path);
  const description = entry.description ?? '';
  const actor = who.member === undefined ? 'Signalbox' : nameOf(who.member);
  const above = parentOf(resource);
  return {
    _links: {
      self,
      parent: linkTo('/auditlog'),
      ...(canonical && { canonical }),
    },
    _id: id,
    _accountId: ACCOUNT_ID,
    date: at,
    accesses: [...accesses],
    kind,
    name,
    description,
    shortDescription: description.split('\n', 1)[0]!,
    ...(comment !== undefined && { comment }),
    ...toActorFields(who),
    titleVerb: verb,
    title: `${actor} ${verb} ${canonical === undefined ? name : `[${name}](${canonical.href})`}`,
    target: {
      _links: canonical ? { canonical } : {},
      name,
      resources: [...new Set(accesses.map(({ resource: touched }) => touched))],
    },
    ...(above !== undefined && { parent: above }),
  };
}

function toActorFields({ member, token }: ChangedBy) {
  return {
    ...(member && {
      subject: { name: nameOf(member), _links: { self: linkTo(`/members/${member._id}`) } },
      member: { ...member, _links: { self: linkTo(`/members/${member._id}`) } },
    }),
    ...(token && { token: { ...token, _links: { self: linkTo(`/tokens/${token._id}`) } } }),
  };
}

function nameOf({ firstName, lastName, email }: NonNullable<ChangedBy['member']>): string {
  return [firstName, lastName].filter(Boolean).join(' ') || email;
}

/** The parent of a resource: `proj/shop` for a flag in it. */
function parentOf(resource: string): Static<typeof AuditEntrySummary>['parent'] {
  const [first = '', ...rest] = resource.split(':');
  const path = rest.length === 0 ? undefined : apiPathOf(first);
  if (path === undefined) return undefined;
  return { name: first.slice(first.indexOf('/') + 1), resource: first, _links: { canonical: linkTo(path) } };
}

export function toEntryDetail(stored: AuditEntry): Static<typeof AuditEntryDetail> {
  const entry = cutWebhookUrls(stored);
  const { update, before, after } = entry;
  return {
    ...toEntrySummary(entry),
    delta: update !== undefined && 'patch' in update ? update.patch : null,
    ...(update !== undefined && 'merge' in update && { merge: update.merge }),
    ...(update !== undefined && 'instructions' in update && { instructions: update.instructions }),
    ...(before !== undefined && { previousVersion: before }),
    ...(after !== undefined && { currentVersion: after }),
    subentries: [],
  };
}

export const CountBucket = Type.Object({ timestamp: Type.Integer(), count: Type.Integer() });

/** By the types in the specifier. The parts are the names in it. */
const PATHS: Record<string, (parts: readonly string[]) => string> = {
  proj: ([project]) => `/projects/${project}`,
  'proj:context-kind': ([project, kind]) => `/projects/${project}/context-kinds/${kind}`,
  'proj:env': ([project, environment]) => `/projects/${project}/environments/${environment}`,
  'proj:env:flag': ([project, , flag]) => `/flags/${project}/${flag}`,
  'proj:env:segment': (parts) => `/segments/${parts.join('/')}`,
  member: ([id]) => `/members/${id}`,
  'member:token': ([, id]) => `/tokens/${id}`,
  'service-token': ([id]) => `/tokens/${id}`,
  team: ([key]) => `/teams/${key}`,
  role: ([key]) => `/roles/${key}`,
  'code-reference-repository': ([name]) => `/code-refs/repositories/${name}`,
  integration: ([key]) => `/integrations/${key}`,
  'relay-proxy-config': ([id]) => `/account/relay-auto-configs/${id}`,
  webhook: ([id]) => `/webhooks/${id}`,
};

/** The path below the API's root, for a specifier without tags. */
function apiPathOf(resource: string): string | undefined {
  const segments = resource.split(':').map((segment) => segment.split('/'));
  const types = segments.map(([type]) => type).join(':');
  const parts = segments.map(([, name = '']) => encodeURIComponent(name));
  return PATHS[types]?.(parts);
}

/** Entries about webhooks of the three APIs, audit-log subscriptions, and apps, which have a webhook each. */
const KINDS_WITH_URLS: ReadonlySet<string> = new Set(['webhook', 'hook', 'integration', 'app']);

/**
 * Cuts URLs to their origins: the path, the query and the user often hold a secret. When the entry is shown, so that entries of
 * earlier releases are cut, too.
 */
export function cutWebhookUrls(entry: AuditEntry): AuditEntry {
  if (!KINDS_WITH_URLS.has(entry.kind)) return entry;
  const { name, description, before, after, update } = entry;
  return {
    ...entry,
    name: cutUrls(name),
    ...(description !== undefined && { description: cutUrls(description) }),
    ...(before !== undefined && { before: cutWithin(before) }),
    ...(after !== undefined && { after: cutWithin(after) }),
    ...(update !== undefined && { update: cutWithin(update) as NonNullable<AuditEntry['update']> }),
  };
}

function cutWithin(value: unknown): unknown {
  if (typeof value === 'string') return cutUrls(value);
  if (Array.isArray(value)) return value.map(cutWithin);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, cutWithin(inner)]));
}

/** Not by a parser: a URL with templates, or one that was refused, is cut as well. */
function cutUrls(text: string): string {
  return text.replaceAll(/(https?:[/\\]{2})(?:[^\s/\\?#]*@)?([^\s/\\?#]*)\S*/gi, '$1$2');
}
