// Evaluates flags and segments for a context, without an SDK.
import { Page } from '../../kernel/http/reply/page.ts';
import { route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { mapInSlices } from '../../kernel/yield-to-event-loop.ts';
import { loadBigSegments } from '../delivery/big-segments.ts';
import { readContext } from '../evaluation/context.ts';
import { beginRun, LIMITS } from '../evaluation/run.ts';
import { matchSegment } from '../evaluation/match-segment.ts';
import { readExpression } from '../filter-expression.ts';
import { Links, linkTo } from '../links.ts';
import { PageQuery, readSort, SortQuery } from '../list-query.ts';
import { ByEnvironment, openEnvironment } from '../find-project.ts';
import { filterFlags, EVALUATION_FILTERS, EVALUATION_SORTS } from './filter-flags.ts';
import { ContextBody, EvaluationSchema, MembershipSchema, toEvaluation, toMembership } from './model.ts';

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
