// Evaluates flags and segments for a context, without an SDK, and sets the value that a flag serves to one context.
import { placingLinks, publicPathOf } from '../../kernel/http/public-path.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { route, reply } from '../../kernel/http/route.ts';
import { Type, PlainText, problem } from '../../kernel/schema/schema.ts';
import { mapInSlices } from '../../kernel/yield-to-event-loop.ts';
import { EvaluationTurns, loadBigSegments } from '../delivery/evaluate-all.ts';
import { readContext } from '../evaluation/context.ts';
import { chooseOutcome } from '../evaluation/flag.ts';
import { beginRun, LIMITS } from '../evaluation/run.ts';
import { matchSegment } from '../evaluation/segment.ts';
import {
  readExpression,
  foldExpression,
  textsOf,
  type Comparison,
  type Expression,
} from '../lists/filter-expression.ts';
import { Links, linkTo, toCollectionJson } from '../links.ts';
import { PageQuery, readSort, SortQuery, type SortOrder } from '../lists/list-query.ts';
import { ByEnvironment, openEnvironment } from '../find-project.ts';
import { foldCase } from '../../kernel/text/fold-case.ts';
import type { FlagName } from '../delivery/store.ts';
import { sortBy } from '../projects/search-in-memory.ts';
import { ContextBody, EvaluationSchema, MembershipSchema, toEvaluationJson, toMembership } from './model.ts';
import { changeFlag } from '../feature-flags/change/change-flag.ts';
import { ContextKey, ContextKind } from '../fields.ts';
import { readFlagInEnvironment } from '../planned-changes/find-flag-in-environment.ts';
import { ByFlagInEnvironment } from '../planned-changes/flag-in-environment.ts';
import { areEqual } from '../../kernel/json/json-value.ts';
import type { Flag } from '../feature-flags/flag.ts';

export const EVALUATION_FILTERS = { query: ['equals'], tags: ['contains'] } as const;
export const EVALUATION_SORTS = ['creationDate', 'key', 'name'] as const;

/** The sort is stable. */
export function filterFlags(
  flags: readonly FlagName[],
  filter: Expression | undefined,
  orders: readonly SortOrder<(typeof EVALUATION_SORTS)[number]>[],
): FlagName[] {
  return sortBy(filter === undefined ? flags : flags.filter(compileFilter(filter)), orders, {
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
    const placing = placingLinks(publicPathOf(kernel.publicUrl));
    const items: string[] = [];
    const turns = new EvaluationTurns(run);
    for (const flag of found.slice(offset, offset + limit)) {
      const outcome = chooseOutcome(environment.flags.get(flag.key)!, run);
      items.push(toEvaluationJson(flag, outcome, run.notices & LIMITS, place, placing));
      if (turns.isOver) await turns.yieldToEventLoop();
    }
    return toCollectionJson(new Page(items, found.length, { offset, limit }), call, kernel.publicUrl);
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

const SettingPut = Type.Object(
  {
    setting: Type.Optional(
      Type.Unknown({
        description: 'The value of a variation to serve to the context; null or absent no longer targets it',
      }),
    ),
    comment: Type.Optional(PlainText({ maxLength: 10_000 })),
  },
  { $id: 'ValuePut' },
);

interface TargetRef {
  environmentKey: string;
  contextKind: string;
  contextKey: string;
}

/** Empty if nothing would change. */
export function instructionsFor(flag: Flag, setting: unknown, ref: TargetRef) {
  const { environmentKey, contextKind, contextKey } = ref;
  const { targets, contextTargets } = flag.environments[environmentKey]!;
  const known = [...targets, ...contextTargets].find(
    (target) => target.contextKind === contextKind && target.values.includes(contextKey),
  )?.variation;
  const wanted = setting === undefined || setting === null ? undefined : findVariation(flag, setting);
  if (wanted === known) return [];
  const instruct = (kind: string, variation: number) => ({
    kind,
    variationId: flag.variations[variation]!._id,
    contextKind,
    values: [contextKey],
  });
  return [
    ...(known === undefined ? [] : [instruct('removeTargets', known)]),
    ...(wanted === undefined ? [] : [instruct('addTargets', wanted)]),
  ];
}

function findVariation({ variations }: Flag, setting: unknown): number {
  const index = variations.findIndex(({ value }) => areEqual(value, setting));
  if (index < 0) throw problem('setting', 'is the value of no variation of the flag');
  return index;
}

const putSetting = route(
  {
    id: 'putContextFlagSetting',
    method: 'PUT',
    path: '/projects/{projectKey}/environments/{environmentKey}/contexts/{contextKind}/{contextKey}/flags/{featureFlagKey}',
    summary: 'Target a context at the variation of a flag that has a certain value, or at none',
    access: { action: 'updateTargets' },
    params: Type.Object({
      ...ByFlagInEnvironment.properties,
      contextKind: ContextKind,
      contextKey: ContextKey,
    }),
    body: SettingPut,
    reply: { 204: null },
  },
  async (call, kernel) => {
    const { changes } = kernel;
    const { environmentKey, contextKind, contextKey } = call.params;
    const { setting, comment } = call.body;
    await changes.run(call, async (tx) => {
      const { db } = tx;
      const { project, flag, resource } = await readFlagInEnvironment(call, db, call.params, 'hold');
      call.requirePermission(resource);
      const instructions = instructionsFor(flag, setting, { environmentKey, contextKind, contextKey });
      if (instructions.length === 0) return;
      const patch = {
        kind: 'semantic' as const,
        environmentKey,
        instructions,
        ...(comment !== undefined && { comment }),
      };
      await changeFlag(tx, { project, flagKey: flag.key }, { patch });
    });
    return reply(204);
  },
);

export const contextRoutes = [evaluateFlags, evaluateSegments, putSetting];
