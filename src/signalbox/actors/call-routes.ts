// The calls of a run: which operations its token has called, how often, and how that ended.
import { openRun, VIEW_RUN } from '../../actors/runs/access.ts';
import {
  listRunCalls,
  MAX_CALLED_OPERATIONS,
  OTHERS,
  type RunCallCount,
} from '../../actors/runs/store-calls.ts';
import { route } from '../../kernel/http/route.ts';
import { Type, type Static } from '../../kernel/schema/schema.ts';
import type { DocsIndex } from '../search/docs-index.ts';
import { ByRunId } from './log-routes.ts';

const DAY = 24 * 60 * 60 * 1000;

const COUNTS = {
  calls: Type.Integer(),
  refused: Type.Integer({ description: 'Of the calls, those with a status of 400 to 499' }),
  failed: Type.Integer({ description: 'Of the calls, those with a status of 500 or more' }),
};

const SUMS = {
  ...COUNTS,
  firstAt: Type.Integer({ description: 'In epoch milliseconds' }),
  lastAt: Type.Integer({ description: 'In epoch milliseconds' }),
  lastStatus: Type.Integer({ description: 'The status of the last one' }),
};

const CalledOperation = Type.Object(
  {
    api: Type.String({ description: 'The name of the API, such as `actors`' }),
    operation: Type.Optional(
      Type.String({ description: 'Its id; absent for calls of paths at which there is no operation' }),
    ),
    title: Type.Optional(Type.String({ description: 'What the operation does' })),
    detail: Type.Optional(Type.String({ description: 'Its method, its path and its API' })),
    docs: Type.Optional(Type.String({ description: 'The path of its documentation on this server' })),
    ...SUMS,
  },
  { $id: 'CalledOperation' },
);

const RunCallList = Type.Object(
  {
    items: Type.Array(CalledOperation, { description: 'The most calls first' }),
    others: Type.Optional(
      Type.Object(SUMS, {
        description: `Calls of further operations: at most ${MAX_CALLED_OPERATIONS} of a run are counted each by itself`,
      }),
    ),
    total: Type.Object(COUNTS),
    keptDays: Type.Integer({ description: 'How many days after the last call the counts are kept' }),
  },
  { $id: 'RunCallList' },
);

const listCallsOfRun = route(
  {
    id: 'listCallsOfRun',
    method: 'GET',
    path: '/runs/{runId}/calls',
    summary: 'List the API calls that a run has made',
    description:
      'Those with the token of the run, by operation. Calls are counted when they end, and shown within two seconds. Calls of releases ' +
      'that did not count them are missing.',
    access: VIEW_RUN,
    params: ByRunId,
    reply: { 200: RunCallList },
  },
  async (call, kernel) => {
    const { db, services, settings } = kernel;
    const run = await openRun(kernel, call, call.params.runId, 'viewRun');
    await services.runCalls.save();
    const counts = await listRunCalls(db, run.id);
    const others = counts.find(({ api }) => api === OTHERS.api);
    return {
      items: counts
        .filter((one) => one !== others)
        .toSorted((one, other) => other.calls - one.calls || other.lastAt - one.lastAt)
        .map((one) => showCalls(one, services.docsIndex)),
      ...(others && { others: sumsOf(others) }),
      total: addUpCalls(counts),
      keptDays: Math.round(settings.retained.runCalls / DAY),
    };
  },
);

function showCalls(counted: RunCallCount, docs: DocsIndex): Static<typeof CalledOperation> {
  const { api, operation } = counted;
  const known = docs.operation(api, operation);
  return {
    api,
    ...(operation !== '' && { operation }),
    ...(known && { title: known.title, detail: known.detail, docs: known.path }),
    ...sumsOf(counted),
  };
}

function sumsOf({ api: _api, operation: _operation, ...sums }: RunCallCount) {
  return sums;
}

function addUpCalls(counts: readonly RunCallCount[]): Static<typeof RunCallList>['total'] {
  const total = { calls: 0, refused: 0, failed: 0 };
  for (const { calls, refused, failed } of counts) {
    total.calls += calls;
    total.refused += refused;
    total.failed += failed;
  }
  return total;
}

export const runCallRoutes = [listCallsOfRun];
