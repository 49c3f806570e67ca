// How Actors do: what became of their runs of the last thirty days, and how long and how rich the good ones were in the middle.
import { openActor } from '../../actors/actors/access.ts';
import { findCounts } from '../../actors/datasets/store.ts';
import { DAY } from '../../actors/usage/model.ts';
import { route } from '../../kernel/http/route.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import { Nullable, PlainText, Type, type Static } from '../../kernel/schema/schema.ts';
import { readActorRecords } from '../search/store-actor-records.ts';
import { listEndedRuns, type EndedRun } from './store-runs.ts';
import { shareOf } from './usage-model.ts';

const DAYS = 30;
/** Of the caller's own, and of everybody's for each Actor of the store: the newest. */
const MAX_OWN_RUNS = 1000;
const MAX_STORE_RUNS = 200;
const MAX_STORE_ACTORS = 50;

const ENDS = {
  runs: Type.Integer({ description: 'That have ended, the newest' }),
  succeeded: Type.Integer(),
  medianDurationMs: Nullable(Type.Integer({ description: 'Of those that have succeeded' })),
};

const DayOfRuns = Type.Object({
  day: Type.Integer({ description: 'Its beginning, in UTC' }),
  succeeded: Type.Integer(),
  other: Type.Integer(),
});

const ActorFigures = Type.Object(
  {
    ...ENDS,
    medianItems: Nullable(Type.Integer({ description: 'In the datasets of those that have succeeded' })),
    days: Type.Array(DayOfRuns, { description: 'Those with runs, the oldest first' }),
    isPartial: Type.Boolean({ description: `There are more than ${MAX_OWN_RUNS} runs` }),
  },
  { $id: 'ActorFigures' },
);

const StoreFigures = Type.Object(
  { items: Type.Array(Type.Object({ id: Type.String(), ...ENDS })) },
  { $id: 'StoreFigures' },
);

const getActorFigures = route(
  {
    id: 'getActorFigures',
    method: 'GET',
    path: '/actors/{actorId}/figures',
    summary: 'Get what became of your runs of an Actor in the last 30 days',
    access: { action: 'viewRun', others: ['viewActor'] },
    params: Type.Object({
      actorId: PlainText({ maxLength: 300, description: 'Its id, or `username~name`' }),
    }),
    reply: { 200: ActorFigures },
  },
  async (call, kernel) => {
    call.requirePermission('actor-run/*');
    const { id: actorId } = await openActor(kernel, call, call.params.actorId, 'viewActor');
    const scope = { actorId, userId: accountOf(call.caller).id, since: firstDay(call.now) };
    const runs = await listEndedRuns(kernel.db, scope, MAX_OWN_RUNS);
    const good = runs.filter(isGood);
    const counts = await findCounts(
      kernel.db,
      good.map(({ datasetId }) => datasetId),
    );
    const days = new Map<number, Omit<Static<typeof DayOfRuns>, 'day'>>();
    for (const run of runs) {
      const day = shareOf(days, Math.floor(run.startedAt / DAY) * DAY, () => ({ succeeded: 0, other: 0 }));
      day[isGood(run) ? 'succeeded' : 'other'] += 1;
    }
    return {
      ...endsOf(runs),
      medianItems: median(good.flatMap(({ datasetId }) => counts.get(datasetId)?.itemCount ?? [])),
      days: [...days].toSorted(([a], [b]) => a - b).map(([day, ends]) => ({ day, ...ends })),
      isPartial: runs.length === MAX_OWN_RUNS,
    };
  },
);

const getStoreFigures = route(
  {
    id: 'getStoreFigures',
    method: 'GET',
    path: '/store/figures',
    summary: 'Get what became of the runs of Actors of the store in the last 30 days',
    description: `Of everybody's runs, the newest ${MAX_STORE_RUNS} of each. Actors that are not public are left out.`,
    access: 'caller',
    query: Type.Object({
      actor: Type.Array(PlainText({ maxLength: 100 }), {
        minItems: 1,
        maxItems: MAX_STORE_ACTORS,
        description: 'Ids. Repeatable',
      }),
    }),
    reply: { 200: StoreFigures },
  },
  async (call, { db }) => {
    const actors = await readActorRecords(db, [...new Set(call.query.actor)]);
    const items: Static<typeof StoreFigures>['items'] = [];
    for (const { id, isPublic } of actors) {
      if (!isPublic) continue;
      const scope = { actorId: id, since: firstDay(call.now) };
      items.push({ id, ...endsOf(await listEndedRuns(db, scope, MAX_STORE_RUNS)) });
    }
    return { items };
  },
);

function firstDay(now: number): number {
  return (Math.floor(now / DAY) - DAYS + 1) * DAY;
}

function isGood({ status }: EndedRun): boolean {
  return status === 'SUCCEEDED';
}

function endsOf(runs: readonly EndedRun[]) {
  const good = runs.filter(isGood);
  const durations = good.map(({ startedAt, finishedAt }) => finishedAt - startedAt);
  return { runs: runs.length, succeeded: good.length, medianDurationMs: median(durations) };
}

/** The lower one of two in the middle. */
function median(values: readonly number[]): number | null {
  return values.toSorted((a, b) => a - b)[(values.length - 1) >> 1] ?? null;
}

export const figureRoutes = [getActorFigures, getStoreFigures];
