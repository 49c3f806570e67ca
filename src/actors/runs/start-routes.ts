// Starts runs of Actors: at once, or waiting for the output or the dataset.
import { Failure } from '../../kernel/failure.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { reply, route, type Bytes, type Call, type Reply, type Stream } from '../../kernel/route.ts';
import { Type } from '../../kernel/schema.ts';
import { openActor } from '../actors/access.ts';
import { ByActor } from '../actors/routes.ts';
import { ItemsQuery } from '../datasets/items-query.ts';
import { datasetRoutes } from '../datasets/routes.ts';
import { withSentInput, type SentInput } from '../input/read-body.ts';
import { WAIT_QUERY } from '../jobs/wait-for-finish.ts';
import { replyWithRecord } from '../key-value-stores/record-reply.ts';
import { findRecord } from '../key-value-stores/store.ts';
import { RunDetail, toRunDetail, type Run } from './model.ts';
import { metaOf } from '../jobs/job-origin.ts';
import { runAfterWait } from './routes.ts';
import { RUN_QUERY, startRun, type RunQuery } from './start-run.ts';
import { findRun } from './store.ts';

const RUN_ACTOR = { action: 'runActor', ofOwner: true } as const;
const AnyInput = () => ({ '*/*': Type.Unknown({ description: 'The input, of any content type' }) });

/** The longest time that a synchronous call waits for the end of its run. */
const SYNC_MS = 300_000;

type StartCall = Pick<Call, 'now' | 'headers' | 'address' | 'stream' | 'can' | 'method'> & {
  caller: KnownCaller;
  params: { actorId: string };
  query: RunQuery;
};

async function start(kernel: Kernel, call: StartCall): Promise<Run> {
  const { caller, params, query, now } = call;
  const actor = await openActor(kernel, call, params.actorId, 'runActor');
  const run = (input: SentInput) =>
    startRun(kernel, { actor, caller, meta: metaOf(call), query, input }, now);
  // HEAD must have no effect.
  if (call.method === 'HEAD') throw new Failure('wrong-method', 'HEAD starts no run. Use GET or POST.');
  if (call.method === 'GET') return await run({});
  return await withSentInput(kernel, call, run);
}

const startActor = route(
  {
    id: 'act_runs_post',
    method: 'POST',
    path: '/actors/{actorId}/runs',
    summary: 'Start a run; the body is its input',
    access: RUN_ACTOR,
    params: ByActor,
    query: Type.Object({ ...RUN_QUERY, ...WAIT_QUERY }),
    isData: true,
    streams: true,
    consumes: AnyInput,
    reply: { 201: RunDetail },
  },
  async (call, kernel) => {
    const run = await start(kernel, call);
    const after = await runAfterWait(kernel, run, call.query.waitForFinish);
    const location = `${call.base}/actor-runs/${run.id}`;
    return reply(201, toRunDetail(after, kernel.clock.now()), { location });
  },
);

/** Throws unless the run succeeds in time. It lives on when the time is over or the caller goes away. */
async function finished(kernel: Kernel, { id }: Run): Promise<Run> {
  await kernel.services.finishWaits.wait('run', id, SYNC_MS);
  const run = await findRun(kernel.db, id);
  if (run === undefined || run.finishedAt === null) {
    throw new Failure(
      'timeout',
      `The run ${id} did not finish within ${SYNC_MS / 1000} seconds. It goes on.`,
      {
        code: 'run-timeout-exceeded',
      },
    );
  }
  if (run.status === 'SUCCEEDED') return run;
  const message =
    `The run ${id} did not succeed: its status is ${run.status}. ${run.statusMessage ?? ''}`.trim();
  throw new Failure('invalid', message, { code: 'run-failed' });
}

const OUTPUT_QUERY = Type.Object({
  ...RUN_QUERY,
  outputRecordKey: Type.Optional(
    Type.String({ description: 'The key of the record to answer with; OUTPUT without it' }),
  ),
});

async function runForOutput(call: StartCall & { query: { outputRecordKey?: string } }, kernel: Kernel) {
  const { storeId } = await finished(kernel, await start(kernel, call));
  const record = await findRecord(kernel.db, storeId, call.query.outputRecordKey ?? 'OUTPUT');
  // Ranges and conditions are about records, not about runs.
  const request = { method: 'GET', headers: {}, attachment: false };
  const found = record && (await replyWithRecord(kernel, record, request));
  return found === undefined ? reply(201) : asCreated(found);
}

/** A synchronous run answers 201 where a read of the same thing answers 200. */
function asCreated(found: Reply | Bytes | Stream): Reply | Bytes | Stream {
  return found.status === 200 ? Object.assign(found, { status: 201 }) : found;
}

const ITEMS_QUERY = Type.Object({ ...RUN_QUERY, ...ItemsQuery.properties });
const getItems = datasetRoutes.find(({ shape }) => shape.id === 'dataset_items_get')!;

async function runForItems(call: StartCall, kernel: Kernel) {
  const { datasetId } = await finished(kernel, await start(kernel, call));
  const items = Object.assign(call, { params: { storageId: datasetId } }) as unknown as Parameters<
    typeof getItems.handle
  >[0];
  return asCreated((await getItems.handle(items, kernel)) as Reply | Bytes | Stream);
}

const COMMON = { access: RUN_ACTOR, params: ByActor, isData: true } as const;
const OUTPUT_REPLY = {
  produces: '*/*',
  reply: { 201: Type.Unknown({ description: 'The record, as the run has stored it' }) },
} as const;
const ITEMS_REPLY = {
  produces: 'application/json',
  reply: { 201: Type.Array(Type.Record(Type.String(), Type.Unknown())) },
} as const;

export const startRoutes = [
  startActor,
  route(
    {
      ...COMMON,
      ...OUTPUT_REPLY,
      id: 'act_runSync_post',
      method: 'POST',
      path: '/actors/{actorId}/run-sync',
      summary: 'Run an Actor with the body as its input, and answer with its output',
      query: OUTPUT_QUERY,
      streams: true,
      consumes: AnyInput,
    },
    runForOutput,
  ),
  route(
    {
      ...COMMON,
      ...OUTPUT_REPLY,
      id: 'act_runSync_get',
      method: 'GET',
      path: '/actors/{actorId}/run-sync',
      summary: 'Run an Actor without input, and answer with its output',
      query: OUTPUT_QUERY,
    },
    runForOutput,
  ),
  route(
    {
      ...COMMON,
      ...ITEMS_REPLY,
      id: 'act_runSyncGetDatasetItems_post',
      method: 'POST',
      path: '/actors/{actorId}/run-sync-get-dataset-items',
      summary: 'Run an Actor with the body as its input, and answer with the items of its dataset',
      query: ITEMS_QUERY,
      streams: true,
      consumes: AnyInput,
    },
    runForItems,
  ),
  route(
    {
      ...COMMON,
      ...ITEMS_REPLY,
      id: 'act_runSyncGetDatasetItems_get',
      method: 'GET',
      path: '/actors/{actorId}/run-sync-get-dataset-items',
      summary: 'Run an Actor without input, and answer with the items of its dataset',
      query: ITEMS_QUERY,
    },
    runForItems,
  ),
];
