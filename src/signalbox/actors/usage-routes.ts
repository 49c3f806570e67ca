// What the caller's runs used in the last days: by Actor, and day by day.
import { route } from '../../kernel/http/route.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { Type, type Static } from '../../kernel/schema/schema.ts';
import { listActorNames } from '../search/actor-sources.ts';
import { readActorRecords } from '../search/store-actor-records.ts';
import { listNewestRuns, type UsedRun } from './store-runs.ts';

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;
const USUAL_DAYS = 30;
const MAX_DAYS = 90;
const GIGABYTE_MBYTES = 1024;
/** Runs that are added up, and how many are read at once. */
const MAX_RUNS = 20_000;
const BATCH = 2000;
const MAX_ACTORS = 200;

const USED = {
  runs: Type.Integer(),
  failed: Type.Integer({ description: 'Those that have failed or timed out' }),
  durationMs: Type.Integer({ description: 'Of all of them together' }),
  computeUnits: Type.Number({ description: 'Gigabytes of their memory times hours' }),
};

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
      description: `There are more than ${MAX_RUNS} runs, of which the newest are added up, or more Actors`,
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
    query: Type.Object({
      days: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MAX_DAYS,
          description: `Whole days in UTC, today among them; ${USUAL_DAYS} when not given`,
        }),
      ),
    }),
    reply: { 200: RunUsage },
  },
  async (call, { db }) => {
    call.requirePermission('actor-run/*');
    const { days = USUAL_DAYS } = call.query;
    const since = (Math.floor(call.now / DAY) - days + 1) * DAY;
    const { total, byActor, byDay, isPartial } = await addUp(db, accountOf(call.caller).id, since, call.now);
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

type Used = Static<typeof RunUsage>['total'];

interface Sums {
  total: Used;
  byActor: Map<string, Used>;
  byDay: Map<number, Used>;
  isPartial: boolean;
}

const nothing = (): Used => ({ runs: 0, failed: 0, durationMs: 0, computeUnits: 0 });

/** The newest first, batch by batch, so that the event loop goes on between them. */
async function addUp(db: Db, userId: string, since: number, now: number): Promise<Sums> {
  const sums: Sums = { total: nothing(), byActor: new Map(), byDay: new Map(), isPartial: false };
  let before: Pick<UsedRun, 'startedAt' | 'id'> | undefined;
  for (;;) {
    const runs = await listNewestRuns(db, userId, { since, before, limit: BATCH });
    for (const run of runs) {
      const day = Math.floor(run.startedAt / DAY) * DAY;
      for (const used of [sums.total, partOf(sums.byActor, run.actorId), partOf(sums.byDay, day)])
        add(used, run, now);
    }
    if (runs.length < BATCH) return sums;
    if (sums.total.runs >= MAX_RUNS) return { ...sums, isPartial: true };
    before = runs.at(-1);
  }
}

function partOf<Key>(parts: Map<Key, Used>, key: Key): Used {
  const known = parts.get(key);
  if (known !== undefined) return known;
  const made = nothing();
  parts.set(key, made);
  return made;
}

function add(used: Used, { status, startedAt, finishedAt, memoryMbytes }: UsedRun, now: number): void {
  const durationMs = Math.max(0, (finishedAt ?? now) - startedAt);
  used.runs += 1;
  if (status === 'FAILED' || status === 'TIMED-OUT') used.failed += 1;
  used.durationMs += durationMs;
  used.computeUnits += (memoryMbytes / GIGABYTE_MBYTES) * (durationMs / HOUR);
}

export const runUsageRoutes = [getRunUsage];
