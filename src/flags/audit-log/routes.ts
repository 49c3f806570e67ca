// The audit log: search, count and read.
import { Failure } from '../../kernel/failure.ts';
import { parseStatements } from '../../kernel/identity/policy.ts';
import { shorten } from '../../kernel/json/pointer.ts';
import { ownLink } from '../../kernel/http/public-path.ts';
import { clampLimit, withQuery } from '../../kernel/http/reply/page.ts';
import { route, type Call } from '../../kernel/http/route.ts';
import { OneOf, PlainText, problem, Type, type Static } from '../../kernel/schema/schema.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Instant } from '../fields.ts';
import { Links } from '../links.ts';
import { unknownThing } from '../find-project.ts';
import { statementMatcher } from '../policy/statements.ts';
import {
  CountBucket,
  AuditEntryCollection,
  AuditEntryDetail,
  toEntryDetail,
  toEntrySummary,
} from './model.ts';
import type { AuditEntry } from '../../kernel/change/change.ts';
import { countEntries, findEntry, searchEntries } from './store.ts';
import { isOfAllMembers, VIEW_AUDIT_LOG, visibility, type AuditLogCall } from './visibility.ts';

const ACCESS = { action: VIEW_AUDIT_LOG, others: ['viewProject'] };
const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 20;

const Query = Type.Object({
  before: Type.Optional(Instant('Only entries before this')),
  after: Type.Optional(Instant('Only entries after this')),
  q: Type.Optional(PlainText({ maxLength: 1000, description: 'Words, or beginnings of words, to look for' })),
  spec: Type.Optional(
    PlainText({
      maxLength: 1000,
      description: 'A resource specifier, such as `proj/*:env/production:flag/*`',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: `${DEFAULT_LIMIT} unless said otherwise, and never more than ${MAX_LIMIT}`,
    }),
  ),
  behind: Type.Optional(
    Type.String({ description: 'The id of an entry, to go on with older ones; stands in `next` links' }),
  ),
  ahead: Type.Optional(
    Type.String({ description: 'The id of an entry, to go on with newer ones; stands in `prev` links' }),
  ),
  from: Type.Optional(OneOf(['oldest'], { description: 'The oldest entries; stands in `last` links' })),
  until: Type.Optional(Instant('The `before` of the first page; stands in `next` links')),
});

const StatementList = Type.Array(Type.Unknown(), { maxItems: 500, description: 'Statements of a policy' });

const getAuditLog = route(
  {
    id: 'getAuditLogEntries',
    method: 'GET',
    path: '/auditlog',
    summary: 'Search the audit log, newest entries first',
    access: ACCESS,
    query: Query,
    reply: { 200: AuditEntryCollection },
  },
  (call, kernel) => search(call, kernel, []),
);

const postAuditLog = route(
  {
    id: 'postAuditLogEntries',
    method: 'POST',
    path: '/auditlog',
    summary: 'Search the audit log by statements of a policy',
    access: ACCESS,
    query: Query,
    body: StatementList,
    bodyIsOptional: true,
    reply: { 200: AuditEntryCollection },
  },
  (call, kernel) => search(call, kernel, call.body ?? []),
);

const countAuditLog = route(
  {
    id: 'postAuditLogEntriesCounts',
    method: 'POST',
    path: '/auditlog/counts',
    summary: 'Count the entries of the audit log over time',
    access: ACCESS,
    query: Type.Object({
      after: Instant('From when on'),
      before: Type.Optional(Instant('Until when; now, if absent')),
      buckets: Type.Integer({ minimum: 1, maximum: 500, default: 50 }),
    }),
    body: StatementList,
    bodyIsOptional: true,
    reply: {
      200: Type.Object({
        buckets: Type.Array(CountBucket),
        totalCount: Type.Integer(),
        bucketIntervalMs: Type.Integer(),
        _links: Links,
      }),
    },
  },
  async (call, kernel) => {
    const { db } = kernel;
    const { after, before = call.now, buckets: count } = call.query;
    if (before <= after) throw problem('query.before', 'must be later than after');
    const matches = await compileFilter(call, kernel, call.body ?? [], undefined);
    const bucketIntervalMs = Math.ceil((before - after) / count);
    const counts = await countEntries(db, { after, before, bucketIntervalMs }, matches);
    const buckets = Array.from({ length: count }, (_, index) => ({
      timestamp: after + index * bucketIntervalMs,
      count: counts.get(index) ?? 0,
    }));
    const totalCount = buckets.reduce((sum, bucket) => sum + bucket.count, 0);
    return { buckets, totalCount, bucketIntervalMs, _links: { self: selfOf(call) } };
  },
);

const getEntry = route(
  {
    id: 'getAuditLogEntry',
    method: 'GET',
    path: '/auditlog/{id}',
    summary: 'Get an entry of the audit log, with the thing before and after',
    access: ACCESS,
    params: Type.Object({ id: Type.String() }),
    reply: { 200: AuditEntryDetail },
  },
  async (call, kernel) => {
    const entry = await findEntry(kernel.db, call.params.id);
    const isVisible = await visibility(call, kernel);
    if (entry !== undefined && isVisible(entry)) return toEntryDetail(entry);
    // What belongs to another account is not told from what does not exist.
    if (entry === undefined || !isOfAllMembers(entry.resource))
      throw unknownThing('audit entry', call.params.id);
    call.requirePermission(entry.resource);
    // The permission for the audit log does not cover resources that the caller may not see.
    const access = { ...ACCESS, resource: entry.resource };
    throw new Failure('forbidden', 'Forbidden. Access to the requested resource was denied.', { access });
  },
);

export const auditLogRoutes = [getAuditLog, postAuditLog, countAuditLog, getEntry];

type SearchCall = AuditLogCall & Pick<Call, 'url'> & { query: Static<typeof Query> };

async function search(call: SearchCall, kernel: Kernel, statements: unknown[]) {
  const { after, q, spec, behind, ahead, from } = call.query;
  // Clients expect `before` in `next` links, so that such a link carries the original one as `until`.
  const before = behind === undefined ? call.query.before : call.query.until;
  const matches = await compileFilter(call, kernel, statements, spec);
  const { entries, older, newer } = await searchEntries(
    kernel.engine,
    {
      ...(before !== undefined && { before }),
      ...(after !== undefined && { after }),
      ...(behind !== undefined && { behind }),
      ...(ahead !== undefined && { ahead }),
      ...(from === 'oldest' && { isFromOldest: true }),
      ...(q !== undefined && q !== '' && { words: q }),
      ...(spec !== undefined && spec !== '' && { resource: spec }),
    },
    matches,
    clampLimit(call.query.limit, DEFAULT_LIMIT, MAX_LIMIT),
  );
  const linkTo = (cursor: Record<string, string | number | undefined>) =>
    ownLink(withQuery(call.url, { ...NO_CURSOR, before, ...cursor }), 'application/json');
  const [first, last] = [linkTo({}), linkTo({ from: 'oldest' })];
  const next = older?.than && linkTo({ before: older.than.at + 1, behind: older.than.id, until: before });
  const prev = newer?.than && linkTo({ ahead: newer.than.id });
  const _links = {
    self: selfOf(call),
    first,
    last,
    ...(older && { next: next ?? first }),
    ...(newer && { prev: prev ?? last }),
  };
  return { items: entries.map(toEntrySummary), _links };
}

const NO_CURSOR = { behind: undefined, ahead: undefined, from: undefined, until: undefined };

function selfOf({ url }: Pick<Call, 'url'>) {
  return ownLink(withQuery(url, {}), 'application/json');
}

async function compileFilter(
  call: AuditLogCall,
  kernel: Kernel,
  statements: unknown[],
  spec: string | undefined,
): Promise<(entry: AuditEntry) => boolean> {
  const isVisible = await visibility(call, kernel);
  const matchesBody = statements.length === 0 ? () => true : statementMatcher(parseStatements(statements));
  const matchesSpec = spec === undefined || spec === '' ? () => true : statementMatcher(readSpec(spec));
  return (entry) => matchesSpec(entry.accesses) && matchesBody(entry.accesses) && isVisible(entry);
}

function readSpec(spec: string) {
  try {
    return parseStatements([{ effect: 'allow', actions: ['*'], resources: [spec] }]);
  } catch {
    const message = `must be a resource specifier, such as "proj/*:env/*:flag/*", not "${shorten(spec)}"`;
    throw problem('query.spec', message);
  }
}
