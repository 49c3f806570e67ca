// Runs by what they are: Actor, task, status, origin, build and time, with the counts of each choice. ADR 0172.
import { openActor } from '../../actors/actors/access.ts';
import { STATUSES } from '../../actors/jobs/job.ts';
import { ORIGINS } from '../../actors/jobs/job-meta.ts';
import { RunSummary, toRunSummary } from '../../actors/runs/model.ts';
import { route } from '../../kernel/http/route.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import { OneOf, PlainText, Type, type Static } from '../../kernel/schema/schema.ts';
import { countRunKinds, listRunsFound, MAX_SEARCHED_RUNS, type RunKind } from './store-find-runs.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100;
/** Of a choice. */
const MAX_CHOICES = 50;

const Choice = Type.Object({ value: Type.String(), count: Type.Integer() }, { $id: 'RunChoice' });

const Choices = (what: string) =>
  Type.Array(Choice, {
    description: `How many runs there are of each ${what}, with the other filters: the most frequent ${MAX_CHOICES}`,
  });

const FoundRuns = Type.Object(
  {
    items: Type.Array(RunSummary),
    total: Type.Integer({ description: 'Of the runs that were looked through' }),
    isPartial: Type.Boolean({
      description: `There are more than ${MAX_SEARCHED_RUNS} runs of this time: the newest were looked through`,
    }),
    choices: Type.Object({
      status: Choices('status'),
      origin: Choices('origin'),
      build: Choices('number of a build'),
    }),
  },
  { $id: 'FoundRuns' },
);

const Query = Type.Object({
  actor: Type.Optional(PlainText({ maxLength: 300, description: 'The id of an Actor, or `username~name`' })),
  task: Type.Optional(PlainText({ maxLength: 100, description: 'The id of a task' })),
  status: Type.Optional(
    Type.Array(OneOf(STATUSES), { maxItems: STATUSES.length, description: 'Repeatable' }),
  ),
  origin: Type.Optional(Type.Array(OneOf(ORIGINS), { maxItems: ORIGINS.length, description: 'Repeatable' })),
  build: Type.Optional(PlainText({ maxLength: 100, description: 'The number of a build' })),
  since: Type.Optional(Type.Integer({ minimum: 0, description: 'Those that were started since then' })),
  offset: Type.Integer({ minimum: 0, maximum: MAX_SEARCHED_RUNS, default: 0 }),
  limit: Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT }),
});

const findRuns = route(
  {
    id: 'findRuns',
    method: 'GET',
    path: '/runs',
    summary: 'Find your runs, newest first',
    description: 'With the counts of what they could be filtered by.',
    access: { action: 'viewRun', others: ['viewActor'] },
    query: Query,
    reply: { 200: FoundRuns },
  },
  async (call, kernel) => {
    call.requirePermission('actor-run/*');
    const { actor, task, status, origin, build, since, offset, limit } = call.query;
    const scope = {
      userId: accountOf(call.caller).id,
      ...(actor !== undefined && { actorId: (await openActor(kernel, call, actor, 'viewActor')).id }),
      ...(task !== undefined && { taskId: task }),
      ...(since !== undefined && { since }),
    };
    const filter = { statuses: status, origins: origin, build };
    const kinds = await countRunKinds(kernel.db, scope);
    const runs = await listRunsFound(kernel.db, { ...scope, ...filter }, { offset, limit });
    const wanted = {
      status: (one: RunKind) => status === undefined || status.includes(one.status),
      origin: (one: RunKind) => origin === undefined || origin.includes(one.origin),
      build: (one: RunKind) => build === undefined || build === one.build,
    };
    const names = Object.keys(wanted) as (keyof typeof wanted)[];
    const choicesOf = (name: keyof typeof wanted) => {
      const others = names.filter((one) => one !== name);
      return toChoices(
        kinds.filter((kind) => others.every((one) => wanted[one](kind))),
        name,
      );
    };
    const sum = (list: readonly RunKind[]) => list.reduce((total, { count }) => total + count, 0);
    return {
      items: runs.map(toRunSummary),
      total: sum(kinds.filter((kind) => names.every((one) => wanted[one](kind)))),
      isPartial: sum(kinds) >= MAX_SEARCHED_RUNS,
      choices: { status: choicesOf('status'), origin: choicesOf('origin'), build: choicesOf('build') },
    };
  },
);

function toChoices(kinds: readonly RunKind[], name: 'status' | 'origin' | 'build'): Static<typeof Choice>[] {
  const counts = new Map<string, number>();
  for (const kind of kinds) counts.set(kind[name], (counts.get(kind[name]) ?? 0) + kind.count);
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .toSorted((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1))
    .slice(0, MAX_CHOICES);
}

export const findRunRoutes = [findRuns];
