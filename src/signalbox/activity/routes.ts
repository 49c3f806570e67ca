// The activity of all APIs: a search, and one change with the resource before and after. Who sees what is the rule of the audit log.
import { findEntry, searchEntries } from '../../flags/audit-log/store.ts';
import { VIEW_AUDIT_LOG, visibility } from '../../flags/audit-log/visibility.ts';
import type { AuditEntry } from '../../kernel/change/change.ts';
import { Failure } from '../../kernel/failure.ts';
import { clampLimit, describeLimit } from '../../kernel/http/reply/page.ts';
import { route } from '../../kernel/http/route.ts';
import { OneOf, PlainText, problem, Type, type Static } from '../../kernel/schema/schema.ts';
import { cursorPage } from '../cursor-page.ts';
import { Activity, ActivityDetail, productOf, PRODUCTS, toActivity, toActivityDetail } from './model.ts';

const ACCESS = { action: VIEW_AUDIT_LOG, others: ['viewProject'] };
const DEFAULT_LIMIT = 25;
const MAX_LIMIT = 100;

const Time = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, description: `${description}, in epoch milliseconds` }));

const Query = Type.Object({
  q: Type.Optional(PlainText({ maxLength: 1000, description: 'Words, or beginnings of words, to look for' })),
  product: Type.Optional(OneOf(PRODUCTS)),
  resource: Type.Optional(
    Type.String({
      maxLength: 1000,
      pattern: '^[^*;\\u0000]+$',
      description: 'Only changes of this resource and of what is below it: `proj/shop`, without tags',
    }),
  ),
  action: Type.Optional(PlainText({ maxLength: 200 })),
  member: Type.Optional(PlainText({ maxLength: 100, description: 'The id of who made them' })),
  token: Type.Optional(PlainText({ maxLength: 100, description: 'The id of the token that made them' })),
  after: Time('Only later ones'),
  before: Time('Only earlier ones'),
  limit: Type.Optional(Type.Integer({ minimum: 0, description: describeLimit(DEFAULT_LIMIT, MAX_LIMIT) })),
  cursor: Type.Optional(PlainText({ maxLength: 100, description: '`next` of the page before' })),
});

const listActivity = route(
  {
    id: 'listActivity',
    method: 'GET',
    path: '/activity',
    summary: 'Search the activity, newest first',
    description:
      'A page may have fewer changes than its limit, or none, though there are more: a search for rare ones goes on with `next`.',
    access: ACCESS,
    query: Query,
    list: Activity,
  },
  async (call, kernel) => {
    const { q, resource, after, before, cursor, limit } = call.query;
    if (cursor !== undefined && (await findEntry(kernel.db, cursor)) === undefined)
      throw problem('query.cursor', 'is not the `next` of a page');
    const isVisible = await visibility(call, kernel);
    const matches = matcherOf(call.query);
    const { entries, older } = await searchEntries(
      kernel.engine,
      {
        ...(q !== undefined && q !== '' && { words: q }),
        ...(resource !== undefined && { resource: `${resource}*` }),
        ...(after !== undefined && { after }),
        ...(before !== undefined && { before }),
        ...(cursor !== undefined && { behind: cursor }),
      },
      (entry) => matches(entry) && isVisible(entry),
      clampLimit(limit, DEFAULT_LIMIT, MAX_LIMIT),
    );
    return cursorPage(entries.map(toActivity), older?.than?.id);
  },
);

function matcherOf({
  product,
  resource,
  action,
  member,
  token,
}: Static<typeof Query>): (entry: AuditEntry) => boolean {
  return (entry) =>
    (product === undefined || productOf(entry.resource) === product) &&
    (resource === undefined || isBelow(entry.resource, resource)) &&
    (action === undefined || entry.accesses.some((access) => access.action === action)) &&
    (member === undefined || entry.who.member?._id === member) &&
    (token === undefined || entry.who.token?._id === token);
}

function isBelow(resource: string, above: string): boolean {
  return resource === above || resource.startsWith(`${above}:`);
}

const getActivity = route(
  {
    id: 'getActivity',
    method: 'GET',
    path: '/activity/{id}',
    summary: 'Get one change, with the resource before and after',
    access: ACCESS,
    params: Type.Object({ id: Type.String() }),
    reply: { 200: ActivityDetail },
  },
  async (call, kernel) => {
    const entry = await findEntry(kernel.db, call.params.id);
    const isVisible = await visibility(call, kernel);
    if (entry !== undefined && isVisible(entry)) return toActivityDetail(entry);
    throw new Failure('not-found', 'There is no such change, or you may not see it');
  },
);

export const activityRoutes = [listActivity, getActivity];
