// When the schedules of the caller fire in the coming days, for a calendar: all in one call.
import { scheduleDenied } from '../../actors/schedules/access.ts';
import { nextFiring } from '../../actors/schedules/cron.ts';
import { MAX_SCHEDULES, type Schedule } from '../../actors/schedules/model.ts';
import { listActionTargets } from '../../actors/schedules/store-actions.ts';
import { listSchedules } from '../../actors/schedules/store.ts';
import { route } from '../../kernel/http/route.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import { problem, Type, type Static } from '../../kernel/schema/schema.ts';
import { TimeSlice } from '../../kernel/yield-to-event-loop.ts';
import { sentenceOfCron } from './cron-sentence.ts';
import { listRunStates } from './store-runs.ts';

const DAY = 24 * 60 * 60 * 1000;
const USUAL_DAYS = 7;
const MAX_DAYS = 31;
/** How far ahead the span may begin. */
const MAX_AHEAD_DAYS = 366;
/** More than this in the span are not listed one by one. */
const MAX_TIMES = 100;

const ComingRuns = Type.Object(
  {
    id: Type.String({ description: 'Of the schedule' }),
    sentence: Type.String({ description: 'When it fires, in words, by clocks in its time zone' }),
    times: Type.Array(Type.Integer(), {
      description: `When it fires in the span; the first ${MAX_TIMES}. None while it is disabled.`,
    }),
    isFrequent: Type.Boolean({ description: `It fires more than ${MAX_TIMES} times in the span` }),
    lastDurationMs: Type.Optional(
      Type.Integer({
        description: 'How long the longest of the last runs of its actions took, or takes by now',
      }),
    ),
  },
  { $id: 'ComingRuns' },
);

const listComingRuns = route(
  {
    id: 'listComingRuns',
    method: 'GET',
    path: '/schedules/coming',
    summary: 'List when your schedules fire in the coming days',
    description: 'Past times are left out: a span that has begun is shown from now on.',
    access: { action: 'viewSchedule' },
    query: Type.Object({
      from: Type.Optional(Type.Integer({ minimum: 0, description: 'Now when not given' })),
      to: Type.Optional(
        Type.Integer({
          minimum: 0,
          description: `At most ${MAX_DAYS} days after \`from\`; ${USUAL_DAYS} days when not given`,
        }),
      ),
    }),
    reply: { 200: Type.Object({ items: Type.Array(ComingRuns) }) },
  },
  async (call, { db }) => {
    if (!call.can('schedule/*')) throw scheduleDenied('viewSchedule');
    const { now } = call;
    const { from = now, to = from + USUAL_DAYS * DAY } = call.query;
    if (from > now + MAX_AHEAD_DAYS * DAY)
      throw problem('query.from', `must be at most ${MAX_AHEAD_DAYS} days ahead`);
    if (to <= from || to > from + MAX_DAYS * DAY)
      throw problem('query.to', `must be after from, and at most ${MAX_DAYS} days after it`);
    const userId = accountOf(call.caller).id;
    const { items: schedules } = await listSchedules(db, userId, { offset: 0, limit: MAX_SCHEDULES }, false);
    const durations = await durationsOf(db, userId, schedules, now);
    const slice = new TimeSlice();
    const items: Static<typeof ComingRuns>[] = [];
    for (const schedule of schedules) {
      const times: number[] = [];
      for (let after = Math.max(from, now) - 1; schedule.isEnabled && times.length <= MAX_TIMES;) {
        const at = nextFiring(schedule.cronExpression, schedule.timezone, after);
        if (at === undefined || at >= to) break;
        times.push(at);
        after = at;
        if (slice.isOver) await slice.yieldToEventLoop();
      }
      const lastDurationMs = durations.get(schedule.id);
      items.push({
        id: schedule.id,
        sentence: sentenceOfCron(schedule.cronExpression),
        times: times.slice(0, MAX_TIMES),
        isFrequent: times.length > MAX_TIMES,
        ...(lastDurationMs !== undefined && { lastDurationMs }),
      });
    }
    return { items };
  },
);

/** By the ids of the schedules whose last runs are still there. */
async function durationsOf(
  db: Parameters<typeof listActionTargets>[0],
  userId: string,
  schedules: readonly Schedule[],
  now: number,
): Promise<Map<string, number>> {
  const actions = await listActionTargets(
    db,
    schedules.map(({ id }) => id),
  );
  const lastRuns = [...actions.values()].flatMap((some) => some.flatMap(({ lastRunId }) => lastRunId ?? []));
  const runs = await listRunStates(db, userId, lastRuns);
  const durations = new Map<string, number>();
  for (const [id, some] of actions) {
    const spans = some.flatMap(({ lastRunId }) => {
      const run = lastRunId === null ? undefined : runs.get(lastRunId);
      return run === undefined ? [] : [(run.finishedAt ?? now) - run.startedAt];
    });
    if (spans.length > 0) durations.set(id, Math.max(...spans));
  }
  return durations;
}

export const comingRunRoutes = [listComingRuns];
