// Runs by what they are: Actor, task, status, origin, build, time and text in the input, with the counts of each choice. ADR 0172, 0185.
import { openActor } from '../../../actors/actors/access.ts';
import { STATUSES } from '../../../actors/jobs/job.ts';
import { ORIGINS } from '../../../actors/jobs/job-meta.ts';
import { RunSummary, toRunSummary } from '../../../actors/runs/model.ts';
import { route } from '../../../kernel/http/route.ts';
import { accountOf } from '../../../kernel/identity/caller.ts';
import { OneOf, PlainText, Type, type Static } from '../../../kernel/schema/schema.ts';
import { MAX_SEARCHED_INPUT, searchInputs } from './search-inputs.ts';
import {
  countRunKinds,
  listRunsById,
  listRunsFound,
  MAX_SEARCHED_RUNS,
  type KindOfRun,
  type RunKind,
} from './store-find-runs.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100;
/** Of a choice. */
const MAX_CHOICES = 50;
const MAX_IDS = 200;

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
      description: `There are more runs of this time: the newest ${MAX_SEARCHED_RUNS} were looked through, or fewer where a text is looked for in long inputs`,
    }),
    searched: Type.Integer({ description: 'How many runs were looked through' }),
    unread: Type.Integer({
      description: `How many of them have an input of more than ${MAX_SEARCHED_INPUT} bytes, in which a text is not looked for`,
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
  id: Type.Optional(
    Type.Array(PlainText({ maxLength: 100 }), { maxItems: MAX_IDS, description: 'These alone. Repeatable' }),
  ),
  input: Type.Optional(
    PlainText({
      minLength: 1,
      maxLength: 200,
      description:
        'A text in the input as it is stored, in any case. Inputs that you may not view are left out',
    }),
  ),
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
    access: { action: 'viewRun', others: ['viewActor', 'viewStorage'] },
    query: Query,
    reply: { 200: FoundRuns },
  },
  async (call, kernel) => {
    call.requirePermission('actor-run/*');
    const { id, input, actor, task, status, origin, build, since, offset, limit } = call.query;
    const scope = {
      userId: accountOf(call.caller).id,
      ...(id !== undefined && { ids: id }),
      ...(actor !== undefined && { actorId: (await openActor(kernel, call, actor, 'viewActor')).id }),
      ...(task !== undefined && { taskId: task }),
      ...(since !== undefined && { since }),
    };
    const wanted = {
      status: (one: KindOfRun) => status === undefined || status.includes(one.status),
      origin: (one: KindOfRun) => origin === undefined || origin.includes(one.origin),
      build: (one: KindOfRun) => build === undefined || build === one.build,
    };
    const names = Object.keys(wanted) as (keyof typeof wanted)[];
    const isWanted = (one: KindOfRun) => names.every((name) => wanted[name](one));
    const withText = input === undefined ? undefined : await searchInputs(kernel, call, scope, input);
    const kinds =
      withText?.runs.map((run) => ({ ...run, count: 1 })) ?? (await countRunKinds(kernel.db, scope));
    const filter = { ...scope, statuses: status, origins: origin, build };
    const ids = withText?.runs.filter(isWanted).map((run) => run.id);
    const runs = await (ids === undefined
      ? listRunsFound(kernel.db, filter, { offset, limit })
      : listRunsById(kernel.db, ids.slice(offset, offset + limit)));
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
      total: sum(kinds.filter(isWanted)),
      isPartial: withText?.isPartial ?? sum(kinds) >= MAX_SEARCHED_RUNS,
      searched: withText?.searched ?? sum(kinds),
      unread: withText?.unread ?? 0,
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
