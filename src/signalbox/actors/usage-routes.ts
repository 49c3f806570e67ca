// What the caller's runs used in the last days: by Actor, and day by day.
import { DAY } from '../../actors/usage/model.ts';
import { route } from '../../kernel/http/route.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { listActorNames } from '../search/actor-sources.ts';
import { readActorRecords } from '../search/store-actor-records.ts';
import { addUpRuns, MAX_ADDED_RUNS } from './add-up-runs.ts';
import { firstDayOf, nothingUsed, shareOf, UsageQuery, USED, type Used } from './usage-model.ts';

const MAX_ACTORS = 200;

const RunUsage = Type.Object(
  {
    since: Type.Integer(),
    total: Type.Object(USED),
    actors: Type.Array(
      Type.Object({
        ...USED,
        id: Type.String(),
        name: Type.Optional(Type.String({ description: '`username~name`; absent where the Actor is gone' })),
        title: Type.Optional(Type.String()),
      }),
      { description: `By compute units, the most first; at most ${MAX_ACTORS}` },
    ),
    days: Type.Array(Type.Object({ ...USED, day: Type.Integer({ description: 'Its beginning, in UTC' }) }), {
      description: 'Those with runs, the oldest first',
    }),
    isPartial: Type.Boolean({
      description: `There are more than ${MAX_ADDED_RUNS} runs, of which the newest are added up, or more Actors`,
    }),
  },
  { $id: 'RunUsage' },
);

const getRunUsage = route(
  {
    id: 'getRunUsage',
    method: 'GET',
    path: '/runs/usage',
    summary: 'Get what your runs used, by Actor and day by day',
    access: { action: 'viewRun' },
    query: UsageQuery,
    reply: { 200: RunUsage },
  },
  async (call, { db }) => {
    call.requirePermission('actor-run/*');
    const since = firstDayOf(call.query, call.now);
    const userId = accountOf(call.caller).id;
    const byActor = new Map<string, Used>();
    const byDay = new Map<number, Used>();
    const { total, isPartial } = await addUpRuns(db, { userId, since, now: call.now }, (run) => [
      shareOf(byActor, run.actorId, nothingUsed),
      shareOf(byDay, Math.floor(run.startedAt / DAY) * DAY, nothingUsed),
    ]);
    const sorted = [...byActor].toSorted(
      ([, a], [, b]) => b.computeUnits - a.computeUnits || b.runs - a.runs,
    );
    const shown = sorted.slice(0, MAX_ACTORS);
    const actors = await readActorRecords(
      db,
      shown.map(([id]) => id),
    );
    const names = await listActorNames(db, actors);
    const titles = new Map(actors.map(({ id, name }) => [id, name]));
    return {
      since,
      total,
      actors: shown.map(([id, used]) => {
        const [name, title] = [names.get(id), titles.get(id)];
        return { id, ...(name !== undefined && { name }), ...(title !== undefined && { title }), ...used };
      }),
      days: [...byDay].toSorted(([a], [b]) => a - b).map(([day, used]) => ({ day, ...used })),
      isPartial: isPartial || sorted.length > MAX_ACTORS,
    };
  },
);

export const runUsageRoutes = [getRunUsage];
