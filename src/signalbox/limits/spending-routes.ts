// What spends rate limits: the routes, the calls that were refused, and how full windows were in the last 24 hours.
import type { Api } from '../../kernel/http/protocol.ts';
import { clampLimit, describeLimit } from '../../kernel/http/reply/page.ts';
import { route, type Call, type Route } from '../../kernel/http/route.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import { listMembersById } from '../../kernel/identity/store-members.ts';
import {
  listSpendingOperations,
  listTokenRefusals,
  TOKEN_REFUSALS_KEPT_DAYS,
} from '../../kernel/identity/token-uses/store-operations.ts';
import { listFullest, listPeaks, type LimitPeak } from '../../kernel/limits/store-peaks.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { cursorPage } from '../cursor-page.ts';
import { LimitPeaks, OperationPaths, RefusedCall, SpendingRoute } from './spending-model.ts';

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;
const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;
/** With `all`: a page of more says no more. */
const MOST_MEMBERS = 50;

const ALL = Type.Boolean({
  default: false,
  description:
    "Everyone's, for those who may view all tokens; otherwise what counts against the caller's own limits",
});
const Some = Type.Object({
  all: ALL,
  limit: Type.Optional(Type.Integer({ minimum: 0, description: describeLimit(DEFAULT_LIMIT, MAX_LIMIT) })),
});

/** The APIs may not be there yet. */
export function spendingRoutes(apis: () => readonly Api[]): Route[] {
  let paths: OperationPaths | undefined;
  const pathsOfAll = () => (paths ??= new OperationPaths(apis()));

  const listRoutes = route(
    {
      id: 'listSpendingRoutes',
      method: 'GET',
      path: '/limits/routes',
      summary: 'List the routes that tokens called in the last 24 hours, most calls first',
      description: 'A call is counted some seconds after it. Sessions and programs are not counted.',
      access: { action: 'viewAccessToken' },
      query: Some,
      list: SpendingRoute,
    },
    async (call, { db }) => {
      const { now, query } = call;
      const found = await listSpendingOperations(db, {
        memberId: memberOf(call, query.all),
        since: startOfDay(now),
        limit: clampLimit(query.limit, DEFAULT_LIMIT, MAX_LIMIT),
      });
      return cursorPage(
        found.map(({ operation, ...spent }) => ({
          ...spent,
          ...pathsOfAll().describe(spent.api, operation),
        })),
      );
    },
  );

  const listRefusedCalls = route(
    {
      id: 'listRefusedCalls',
      method: 'GET',
      path: '/limits/refusals',
      summary: 'List the calls of tokens that a rate limit refused, the last ones first',
      description: `Of the last ${TOKEN_REFUSALS_KEPT_DAYS} days. A call is there some seconds after it.`,
      access: { action: 'viewAccessToken' },
      query: Some,
      list: RefusedCall,
    },
    async (call, { db }) => {
      const { now, query } = call;
      const found = await listTokenRefusals(db, {
        memberId: memberOf(call, query.all),
        since: now - TOKEN_REFUSALS_KEPT_DAYS * DAY,
        limit: clampLimit(query.limit, DEFAULT_LIMIT, MAX_LIMIT),
      });
      return cursorPage(
        found.map(({ callId: requestId, operation, ...refused }) => ({
          ...refused,
          requestId,
          ...pathsOfAll().describe(refused.api, operation),
        })),
      );
    },
  );
  return [listRoutes, listRefusedCalls, listLimitPeaks];
}

const listLimitPeaks = route(
  {
    id: 'listLimitPeaks',
    method: 'GET',
    path: '/limits/peaks',
    summary: 'List the fullest windows of rate limits in each of the last 24 hours',
    description:
      'By member and limit, of windows that have ended; limits that are counted apart for each route or storage, and those of ' +
      `browsers and programs, are not among them. With \`all\` they are of the ${MOST_MEMBERS} members with the fullest windows.`,
    access: { action: 'viewAccessToken' },
    query: Type.Object({ all: ALL }),
    list: LimitPeaks,
  },
  async (call, { db, limits }) => {
    const since = startOfDay(call.now);
    const own = memberOf(call, call.query.all);
    const ids = own === undefined ? await listFullest(db, since, MOST_MEMBERS) : [own];
    const [peaks, members] = await Promise.all([listPeaks(db, ids, since), listMembersById(db, ids)]);
    const byId = new Map(members.map(({ id, username }) => [id, { id, username }]));
    const groups = Map.groupBy(peaks, ({ who, category }) => `${who} ${category}`);
    return cursorPage(
      [...groups.values()].flatMap((some) => {
        const { who, category: name } = some[0]!;
        const member = byId.get(who);
        const quota = limits.quotas[name];
        const dot = name.indexOf('.');
        // The member may be gone, or the limit with another release.
        if (member === undefined || quota === undefined || dot === -1) return [];
        const { known: limit, seconds } = quota;
        const hours = some.map(({ hour: at, most }: LimitPeak) => ({ at, most }));
        return { member, api: name.slice(0, dot), category: name.slice(dot + 1), limit, seconds, hours };
      }),
    );
  },
);

/** Service tokens count against the limits of the member who made them. Undefined stands for everyone. */
function memberOf(call: Pick<Call, 'requirePermission'> & { caller: KnownCaller }, all: boolean) {
  call.requirePermission(all ? 'member/*:token/*' : 'member/me:token/*');
  return all ? undefined : call.caller.member.id;
}

/** The full hour 23 hours before the present one: 24 of them are shown. */
function startOfDay(now: number): number {
  return now - (now % HOUR) - 23 * HOUR;
}
