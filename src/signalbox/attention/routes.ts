// What needs the caller's attention, what they have snoozed, and figures of today.
import { Failure } from '../../kernel/failure.ts';
import { route } from '../../kernel/http/route.ts';
import { PlainText, problem, Type } from '../../kernel/schema/schema.ts';
import { isTimeZone } from '../me/model.ts';
import { requireOwn } from '../own-affairs.ts';
import { openSearcher, type Searcher } from '../search/source.ts';
import { findExpiringTokens, findOldVersions, findRateLimits, findReviews } from './account-causes.ts';
import { findApprovals, findRemovableFlags, findScheduledChanges } from './flag-causes.ts';
import {
  AttentionList,
  checkSnooze,
  MAX_CAUSES,
  MAX_SNOOZES,
  Snooze,
  SnoozePut,
  sortCauses,
  startOfDay,
  Today,
  type Cause,
} from './model.ts';
import { findExpiredLocks } from './queue-causes.ts';
import { findFailedRuns } from './run-causes.ts';
import { findServerCauses } from './server-causes.ts';
import { countRunsSince, sumEvaluations, sumTokenCalls } from './store-causes.ts';
import { deleteSnooze, listSnoozes, upsertSnooze } from './store.ts';
import { findActorWebhooks, findFlagWebhooks, findHostWebhooks } from './webhook-causes.ts';

const OWN = 'list of what needs attention';
const HOUR = 60 * 60 * 1000;

const FINDERS: readonly ((searcher: Searcher) => Promise<Cause[]>)[] = [
  findApprovals,
  findReviews,
  findFailedRuns,
  findExpiredLocks,
  findFlagWebhooks,
  findActorWebhooks,
  findHostWebhooks,
  findRateLimits,
  findServerCauses,
  findScheduledChanges,
  findExpiringTokens,
  findOldVersions,
  findRemovableFlags,
];

const listAttention = route(
  {
    id: 'listAttention',
    method: 'GET',
    path: '/attention',
    summary: 'List what needs attention',
    description: `The most urgent first, at most ${MAX_CAUSES}; what is snoozed by itself.`,
    access: { action: 'viewAttention' },
    reply: { 200: AttentionList },
  },
  async (call, kernel) => {
    const memberId = requireOwn(call, OWN);
    const searcher = await openSearcher(kernel, call.caller, call.now);
    const snoozed = await listSnoozes(kernel.db, memberId, call.now);
    const causes = (await Promise.all(FINDERS.map((find) => find(searcher)))).flat();
    const sorted = sortCauses(causes);
    return {
      items: sorted.filter(({ id }) => !snoozed.has(id)).slice(0, MAX_CAUSES),
      snoozed: sorted
        .filter(({ id }) => snoozed.has(id))
        .slice(0, MAX_CAUSES)
        .map((cause) => ({ ...cause, until: snoozed.get(cause.id)! })),
    };
  },
);

const BySnooze = Type.Object({
  id: Type.String({ maxLength: 200, pattern: '^[\\w.:~-]+$', description: 'The id of what needs attention' }),
});

const snoozeAttention = route(
  {
    id: 'snoozeAttention',
    method: 'PUT',
    path: '/attention/{id}/snooze',
    summary: 'Snooze what needs attention',
    description: 'Until then it is not listed, also if it becomes worse.',
    access: { action: 'updateAttention' },
    isData: true,
    params: BySnooze,
    body: SnoozePut,
    reply: { 200: Snooze },
  },
  async (call, { db }) => {
    const memberId = requireOwn(call, OWN);
    const { now, params, body } = call;
    checkSnooze(body.until, now);
    const snooze = { id: params.id, until: body.until };
    const isSaved = await db
      .transaction()
      .execute((tx) => upsertSnooze(tx, memberId, snooze, { now, max: MAX_SNOOZES }));
    if (isSaved) return snooze;
    throw new Failure(
      'over-quota',
      `At most ${MAX_SNOOZES} things can be snoozed: end another snooze first.`,
    );
  },
);

const unsnoozeAttention = route(
  {
    id: 'unsnoozeAttention',
    method: 'DELETE',
    path: '/attention/{id}/snooze',
    summary: 'End a snooze',
    access: { action: 'updateAttention' },
    isData: true,
    params: BySnooze,
    reply: { 204: null },
  },
  async (call, { db }) => {
    const memberId = requireOwn(call, OWN);
    await deleteSnooze(db, memberId, call.params.id);
    return undefined;
  },
);

const getToday = route(
  {
    id: 'getToday',
    method: 'GET',
    path: '/today',
    summary: 'Get figures of today',
    access: { action: 'viewAttention' },
    query: Type.Object({
      timeZone: Type.Optional(
        PlainText({
          maxLength: 100,
          description: 'Where the day begins, such as `Europe/Vienna`; UTC when not given',
        }),
      ),
    }),
    reply: { 200: Today },
  },
  async (call, kernel) => {
    const memberId = requireOwn(call, OWN);
    const { timeZone = 'UTC' } = call.query;
    if (!isTimeZone(timeZone)) throw problem('query.timeZone', 'is no time zone');
    const { db } = kernel;
    const { projects, accountId, can } = await openSearcher(kernel, call.caller, call.now);
    const since = startOfDay(call.now, timeZone);
    // Evaluations are counted by the hour.
    const evaluations = await sumEvaluations(db, [...projects.keys()], since - (since % HOUR));
    return {
      since,
      ...(evaluations !== undefined && { evaluations }),
      runs: can('actor-run/*', 'viewRun') ? await countRunsSince(db, accountId, since) : 0,
      apiCalls: await sumTokenCalls(db, memberId, since - (since % HOUR)),
    };
  },
);

export const attentionRoutes = [listAttention, snoozeAttention, unsnoozeAttention, getToday];
