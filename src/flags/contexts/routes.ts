// Evaluates flags and segments for a context, without an SDK, and filters and sorts the flags in memory.
import { Page } from '../../kernel/http/reply/page.ts';
import { route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { mapInSlices } from '../../kernel/yield-to-event-loop.ts';
import { loadBigSegments } from '../delivery/evaluate-all.ts';
import { readContext } from '../evaluation/context.ts';
import { beginRun, LIMITS } from '../evaluation/run.ts';
import { matchSegment } from '../evaluation/segment.ts';
import {
  readExpression,
  foldExpression,
  textsOf,
  type Comparison,
  type Expression,
} from '../lists/filter-expression.ts';
import { Links, linkTo } from '../links.ts';
import { PageQuery, readSort, SortQuery, type SortOrder } from '../lists/list-query.ts';
import { ByEnvironment, openEnvironment } from '../find-project.ts';
import { foldCase } from '../../kernel/text/fold-case.ts';
import type { FlagName } from '../delivery/store.ts';
import { sortBy } from '../projects/search-in-memory.ts';
import { ContextBody, EvaluationSchema, MembershipSchema, toEvaluation, toMembership } from './model.ts';

export const EVALUATION_FILTERS = { query: ['equals'], tags: ['contains'] } as const;
export const EVALUATION_SORTS = ['creationDate', 'key', 'name'] as const;

/** The sort is stable. */
export function filterFlags(
  flags: readonly FlagName[],
  filter: Expression | undefined,
  orders: readonly SortOrder<(typeof EVALUATION_SORTS)[number]>[],
): FlagName[] {
  const isWanted = filter === undefined ? () => true : compileFilter(filter);
  return sortBy(flags.filter(isWanted), orders, {
    creationDate: ({ createdAt }) => createdAt,
    key: ({ key }) => key,
    name: ({ name }) => foldCase(name),
  });
}

type Test = (flag: FlagName) => boolean;

function compileFilter(filter: Expression): Test {
  return foldExpression<Test>(filter, compare, (kind, tests) =>
    kind === 'all' ? (flag) => tests.every((test) => test(flag)) : (flag) => tests.some((test) => test(flag)),
  );
}

function compare(comparison: Comparison): Test {
  const texts = textsOf(comparison);
  if (comparison.field === 'tags') return ({ tags }) => texts.every((tag) => tags.includes(tag));
  const parts = texts.map((text) => text.toLowerCase());
  return ({ key, name }) => {
    const words = [key.toLowerCase(), name.toLowerCase()];
    return parts.some((part) => words.some((word) => word.includes(part)));
  };
}

const evaluateFlags = route(
  {
    id: 'evaluateContextInstance',
    worksOnFullDisk: true,
    method: 'POST',
    path: '/projects/{projectKey}/environments/{environmentKey}/flags/evaluate',
    summary: 'Evaluate flags for a context',
    description:
      'By key unless asked otherwise; archived flags are not evaluated. It is for looking: apps have SDKs.',
    isData: true,
    access: { action: 'viewProject' },
    params: ByEnvironment,
    query: Type.Object({
      limit: Type.Integer({
        minimum: -1,
        maximum: Number.MAX_SAFE_INTEGER,
        default: -1,
        description: 'How many flags; -1 for all',
      }),
      offset: PageQuery.offset,
      ...SortQuery(EVALUATION_SORTS),
      filter: Type.Optional(
        Type.String({
          description:
            'Comparisons joined by `,` (and) and `|` (or), with parentheses: `query equals` for a part of key or name, ' +
            '`tags contains` for a list of tags that it must all have',
        }),
      ),
    }),
    body: ContextBody,
    list: EvaluationSchema,
  },
  async (call, kernel) => {
    const { params, query } = call;
    const filter = readExpression(query.filter, EVALUATION_FILTERS);
    const orders = readSort(query.sort, EVALUATION_SORTS);
    const place = await openEnvironment(call, kernel.db, params.projectKey, params.environmentKey);
    const context = readContext(call.body);
    const feed = await kernel.services.feeds.open(place.environment);
    const environment = await loadBigSegments(kernel.db, feed, context);
    const found = filterFlags(feed.flagNames, filter, orders);
    const { offset } = query;
    const limit = query.limit > 0 ? query.limit : Math.max(found.length, 1);
    const run = beginRun(context, environment);
    const items = await mapInSlices(found.slice(offset, offset + limit), (flag) =>
      toEvaluation(flag, environment.flags.get(flag.key)!.evaluate(run), place),
    );
    return new Page(items, found.length, { offset, limit });
  },
);

const evaluateSegments = route(
  {
    id: 'getContextInstanceSegmentsMembershipByEnv',
    worksOnFullDisk: true,
    method: 'POST',
    path: '/projects/{projectKey}/environments/{environmentKey}/segments/evaluate',
    summary: 'List all segments, and whether a context is in them',
    isData: true,
    access: { action: 'viewProject' },
    params: ByEnvironment,
    body: ContextBody,
    reply: {
      200: Type.Object(
        { items: Type.Array(MembershipSchema), totalCount: Type.Integer(), _links: Links },
        { $id: 'ContextInstanceSegmentMemberships' },
      ),
    },
  },
  async (call, kernel) => {
    const { projectKey, environmentKey } = call.params;
    const place = await openEnvironment(call, kernel.db, projectKey, environmentKey);
    const context = readContext(call.body);
    const feed = await kernel.services.feeds.open(place.environment);
    const environment = await loadBigSegments(kernel.db, feed, context);
    const run = beginRun(context, environment);
    const items = await mapInSlices(feed.segmentNames, (name) => {
      const segment = environment.segments.get(name.key)!;
      const match = matchSegment(segment, run);
      return toMembership(
        name,
        { unbounded: segment.data.unbounded, match, limits: run.notices & LIMITS },
        place,
      );
    });
    const self = linkTo(`/projects/${projectKey}/environments/${environmentKey}/segments/evaluate`);
    return { items, totalCount: items.length, _links: { self } };
  },
);

export const contextRoutes = [evaluateFlags, evaluateSegments];
