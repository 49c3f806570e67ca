// Compares a run with another one, such as the last good one: input, build, options, counts and log.
import { findBuild } from '../../actors/builds/store.ts';
import { findCounts } from '../../actors/datasets/store.ts';
import { findRecord } from '../../actors/key-value-stores/store.ts';
import { compareLogs } from '../../actors/logs/compare-logs.ts';
import { findQueues } from '../../actors/request-queues/store.ts';
import { openRun } from '../../actors/runs/access.ts';
import type { Run } from '../../actors/runs/model.ts';
import { findLastRun } from '../../actors/runs/store.ts';
import { openStorage } from '../../actors/storages/access.ts';
import type { StorageKind } from '../../actors/storages/model.ts';
import { Failure } from '../../kernel/failure.ts';
import { route, type Call } from '../../kernel/http/route.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { PlainText, Type } from '../../kernel/schema/schema.ts';
import {
  MAX_COMPARED_INPUT,
  MAX_COMPARED_LINES,
  MAX_DIFFERENCES,
  MAX_FIELDS,
  RunComparison,
  type ShownComparison,
} from './compare-model.ts';
import { JsonDifferences } from './json-differences.ts';
import { ByRunId } from './log-routes.ts';
import { readInputText, TOO_LARGE } from './read-input.ts';

const LAST_GOOD = 'last-good';
const MAX_COMPARE_MS = 20_000;

type RunCall = Pick<Call, 'can' | 'now'> & { caller: KnownCaller };

const compareRun = route(
  {
    id: 'compareRun',
    method: 'GET',
    path: '/runs/{runId}/compare',
    summary: 'Compare a run with another one',
    description:
      'Logs are compared by lines without numbers, addresses, ids and times. Input and counts are there for those who may view the storages of the runs.',
    access: { action: 'viewRun', others: ['viewStorage'], ofOwner: true },
    params: ByRunId,
    query: Type.Object({
      with: PlainText({
        default: LAST_GOOD,
        maxLength: 100,
        description: `The id of the other run; \`${LAST_GOOD}\` for the newest one before it of the same task or Actor that has succeeded`,
      }),
    }),
    reply: { 200: RunComparison },
  },
  async (call, kernel) => {
    const after = await openRun(kernel, call, call.params.runId, 'viewRun');
    const before =
      call.query.with === LAST_GOOD
        ? await findLastGood(kernel, after)
        : await openRun(kernel, call, call.query.with, 'viewRun');
    return await compareRuns(kernel, call, before, after);
  },
);

async function findLastGood({ db }: Kernel, { taskId, actorId, userId, startedAt }: Run): Promise<Run> {
  const filter = { statuses: ['SUCCEEDED' as const], startedBefore: startedAt - 1 };
  const scope = taskId === null ? { actorId, userId } : { taskId };
  const found = await findLastRun(db, scope, filter);
  if (found !== undefined && found.userId === userId) return found;
  throw new Failure('not-found', 'No earlier run has succeeded. Name the run to compare with by its id.');
}

async function compareRuns(kernel: Kernel, call: RunCall, before: Run, after: Run): Promise<ShownComparison> {
  const options = new JsonDifferences(MAX_DIFFERENCES);
  options.compare(before.options, after.options);
  const [input, countsBefore, countsAfter] = await Promise.all([
    compareInputs(kernel, call, before, after),
    countsOf(kernel, call, before),
    countsOf(kernel, call, after),
  ]);
  const until = performance.now() + MAX_COMPARE_MS;
  const log = await compareLogs(
    kernel,
    { before: before.id, after: after.id },
    { most: MAX_COMPARED_LINES, until },
  );
  const count = (name: Exclude<keyof RunCounts, 'fields'>) => ({
    ...(countsBefore[name] !== undefined && { before: countsBefore[name] }),
    ...(countsAfter[name] !== undefined && { after: countsAfter[name] }),
  });
  return {
    before: await showRun(kernel, before),
    after: await showRun(kernel, after),
    input,
    options: options.items,
    counts: {
      items: count('items'),
      requests: count('requests'),
      handledRequests: count('handledRequests'),
      durationMs: count('durationMs'),
      memoryMaxBytes: count('memoryMaxBytes'),
      cpuAvgUsage: count('cpuAvgUsage'),
      restarts: count('restarts'),
      migrations: count('migrations'),
    },
    output: compareFields(countsBefore.fields, countsAfter.fields),
    log,
  };
}

async function showRun({ db }: Kernel, run: Run): Promise<ShownComparison['before']> {
  const { id, actorId, taskId, status, statusMessage, exitCode, startedAt, finishedAt } = run;
  const made = await findBuild(db, run.buildId);
  // The sources of somebody else's Actor are theirs.
  const commit = made?.userId === run.userId ? made.commit : null;
  const build = { id: run.buildId, number: run.buildNumber, ...(commit !== null && { commit }) };
  return { id, actorId, taskId, status, statusMessage, exitCode, startedAt, finishedAt, build };
}

function compareFields(before?: readonly string[], after?: readonly string[]): ShownComparison['output'] {
  const [old, present] = [new Set(before), new Set(after)];
  return {
    added: [...present].filter((field) => !old.has(field)).slice(0, MAX_FIELDS),
    missing: [...old].filter((field) => !present.has(field)).slice(0, MAX_FIELDS),
    common: [...present].filter((field) => old.has(field)).length,
    isKnown: before !== undefined && after !== undefined,
  };
}

interface RunCounts {
  fields?: readonly string[] | undefined;
  items?: number | undefined;
  requests?: number | undefined;
  handledRequests?: number | undefined;
  durationMs: number;
  memoryMaxBytes: number;
  cpuAvgUsage: number;
  restarts: number;
  migrations: number;
}

async function countsOf(kernel: Kernel, call: RunCall, run: Run): Promise<RunCounts> {
  const { db } = kernel;
  const { stats, datasetId, queueId } = run;
  const maySeeItems = await mayRead(kernel, call, 'dataset', datasetId);
  const maySeeQueue = await mayRead(kernel, call, 'request-queue', queueId);
  const queue = maySeeQueue ? (await findQueues(db, [queueId])).get(queueId) : undefined;
  const items = maySeeItems ? (await findCounts(db, [datasetId])).get(datasetId) : undefined;
  return {
    fields: items?.fields,
    items: items?.itemCount,
    requests: queue?.total,
    handledRequests: queue?.handled,
    durationMs: (run.finishedAt ?? call.now) - run.startedAt,
    memoryMaxBytes: stats.memMaxBytes,
    cpuAvgUsage: stats.cpuAvgUsage,
    restarts: stats.restartCount,
    migrations: stats.migrationCount,
  };
}

/** Whether the Actors API would show the storage; one that is deleted is not shown either. */
async function mayRead(kernel: Kernel, call: RunCall, kind: StorageKind, id: string): Promise<boolean> {
  try {
    await openStorage(kernel, kind, 'read', call, { reference: id });
    return true;
  } catch (error) {
    if (error instanceof Failure && error.kind !== 'unavailable' && error.kind !== 'internal') return false;
    throw error;
  }
}

type ReadInput = { value: unknown } | { reason: string };

async function compareInputs(
  kernel: Kernel,
  call: RunCall,
  before: Run,
  after: Run,
): Promise<ShownComparison['input']> {
  const [one, other] = [await readInput(kernel, call, before), await readInput(kernel, call, after)];
  if ('reason' in one) return { isSame: false, differences: [], total: 0, reason: one.reason };
  if ('reason' in other) return { isSame: false, differences: [], total: 0, reason: other.reason };
  const found = new JsonDifferences(MAX_DIFFERENCES);
  found.compare(one.value, other.value);
  return { isSame: found.total === 0, differences: found.items, total: found.total };
}

/** Undefined where the run has no input. */
async function readInput(kernel: Kernel, call: RunCall, run: Run): Promise<ReadInput> {
  if (!(await mayRead(kernel, call, 'key-value-store', run.storeId)))
    return { reason: `The store of the run ${run.id} is gone, or you may not view it.` };
  const record = await findRecord(kernel.db, run.storeId, run.inputKey);
  if (record === undefined) return { value: undefined };
  const text = await readInputText(kernel, record, MAX_COMPARED_INPUT);
  if (text === undefined) return { reason: `The input of the run ${run.id} is gone.` };
  if (text === TOO_LARGE)
    return { reason: `The input of the run ${run.id} has more than ${MAX_COMPARED_INPUT} bytes.` };
  if (!/^application\/json\b/i.test(record.contentType)) return { value: text };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return { value: text };
  }
}

export const runComparisonRoutes = [compareRun];
