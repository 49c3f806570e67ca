// The calls that start runs of Actors and of tasks: at once, or waiting for the output or the dataset.
import { checkBrowser } from './access.ts';
import { Failure } from '../../kernel/failure.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import {
  reply,
  route,
  type Bytes,
  type Call,
  type Reply,
  type Route,
  type RouteAccess,
  type Stream,
} from '../../kernel/http/route.ts';
import { Type, type TObject, type TSchema } from '../../kernel/schema/schema.ts';
import { openActor } from '../actors/access.ts';
import type { Actor } from '../actors/model.ts';
import { ByActor } from '../actors/routes.ts';
import { ItemsQuery } from '../datasets/items-query.ts';
import { datasetRoutes } from '../datasets/routes.ts';
import { withSentInput, type SentInput } from '../input/prepare-input.ts';
import { WAIT_QUERY } from '../jobs/wait-for-finish.ts';
import { replyWithRecord } from '../key-value-stores/record-reply.ts';
import { findRecord } from '../key-value-stores/store.ts';
import { RunDetail, toRunDetail, type Run } from './model.ts';
import { metaOf } from '../jobs/job-meta.ts';
import { readAdHocWebhooks, WEBHOOKS_QUERY } from '../webhooks/ad-hoc.ts';
import { runAfterWait } from './routes.ts';
import { RUN_QUERY, type RunQuery } from './run-query.ts';
import { startRun, type RunStart } from './start-run.ts';
import { findRun } from './store.ts';

/** The longest time that a synchronous call waits for the end of its run. */
const SYNC_MS = 300_000;

type StartCall = Pick<Call, 'now' | 'headers' | 'address' | 'stream' | 'can' | 'method' | 'base'> & {
  caller: KnownCaller;
  params: Readonly<Record<string, string>>;
  query: RunQuery & { webhooks?: string };
};

/** What the call decides of a run, whatever is run. */
type StartedByCall = Pick<RunStart, 'caller' | 'meta' | 'query' | 'input' | 'inSameTransaction' | 'webhooks'>;

/** What can be run: an Actor, or a task. */
export interface StartBase<Target> {
  /** `/actors/{actorId}` */
  path: string;
  /** The start of operation ids. */
  id: string;
  /** Words for the summary: `an Actor`. */
  what: string;
  params: TObject;
  access: RouteAccess;
  /** The body, for the description. */
  input: TSchema;
  /** Throws for callers who may not run it. */
  open(kernel: Kernel, call: StartCall): Promise<Target>;
  start(kernel: Kernel, target: Target, asked: StartedByCall, now: number): Promise<Run>;
}

const OF_ACTOR: StartBase<Actor> = {
  path: '/actors/{actorId}',
  id: 'act',
  what: 'an Actor',
  params: ByActor,
  access: { action: 'runActor', ofOwner: true },
  input: Type.Unknown({ description: 'The input, of any content type' }),
  open: (kernel, call) => openActor(kernel, call, call.params['actorId']!, 'runActor'),
  start: (kernel, actor, asked, now) => startRun(kernel, { ...asked, actor }, now),
};

async function start<Target>(base: StartBase<Target>, kernel: Kernel, call: StartCall): Promise<Run> {
  const { caller, query, method, now } = call;
  const target = await base.open(kernel, call);
  const webhooks = readAdHocWebhooks(kernel, call, query.webhooks);
  // HEAD must have no effect.
  if (method === 'HEAD') throw new Failure('wrong-method', 'HEAD starts no run. Use GET or POST.');
  if (method === 'GET') checkBrowser(call, kernel.publicUrl);
  const startWith = async (input: SentInput) => {
    const meta = metaOf(call, await kernel.identity.initiatorOf(caller, now));
    return await base.start(kernel, target, { caller, meta, query, input, webhooks }, now);
  };
  return method === 'GET' ? await startWith({}) : await withSentInput(kernel, call, startWith);
}

/** Throws unless the run succeeds in time. It lives on when the time is over or the caller goes away. */
async function finished(kernel: Kernel, { signal }: Pick<Call, 'signal'>, { id }: Run): Promise<Run> {
  await kernel.services.finishWaits.wait('run', id, SYNC_MS, signal);
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
  ...WEBHOOKS_QUERY,
  outputRecordKey: Type.Optional(
    Type.String({ description: 'The key of the record to answer with; OUTPUT without it' }),
  ),
});

async function replyWithOutput(kernel: Kernel, { storeId }: Run, key = 'OUTPUT') {
  const record = await findRecord(kernel.db, storeId, key);
  // Ranges and conditions are about records, not about runs.
  const request = { method: 'GET', headers: {}, attachment: false };
  const found = record && (await replyWithRecord(kernel, record, request));
  return found === undefined ? reply(201) : asCreated(found);
}

/** A synchronous run answers 201 where a read of the same thing answers 200. */
function asCreated(found: Reply | Bytes | Stream): Reply | Bytes | Stream {
  return found.status === 200 ? Object.assign(found, { status: 201 }) : found;
}

const ITEMS_QUERY = Type.Object({ ...RUN_QUERY, ...WEBHOOKS_QUERY, ...ItemsQuery.properties });
const getItems = datasetRoutes.find(({ shape }) => shape.id === 'dataset_items_get')!;

async function replyWithItems(kernel: Kernel, { datasetId }: Run, call: StartCall) {
  const items = Object.assign(call, { params: { storageId: datasetId } }) as unknown as Parameters<
    typeof getItems.handle
  >[0];
  return asCreated((await getItems.handle(items, kernel)) as Reply | Bytes | Stream);
}

const OUTPUT_REPLY = {
  produces: '*/*',
  reply: { 201: Type.Unknown({ description: 'The record, as the run has stored it' }) },
} as const;
const ITEMS_REPLY = {
  produces: 'application/json',
  reply: { 201: Type.Array(Type.Record(Type.String(), Type.Unknown())) },
} as const;

/** The routes that start runs of it: at once, or waiting for the output or the dataset. */
export function startRoutesOf<Target>(base: StartBase<Target>): Route[] {
  const { id, path, what, params, access } = base;
  const common = { params, access, isData: true } as const;
  const withInput = { streams: true, consumes: () => ({ '*/*': base.input }) } as const;

  const startIt = route(
    {
      ...common,
      ...withInput,
      id: `${id}_runs_post`,
      method: 'POST',
      path: `${path}/runs`,
      summary: `Start a run of ${what}; the body is its input`,
      query: Type.Object({ ...RUN_QUERY, ...WEBHOOKS_QUERY, ...WAIT_QUERY }),
      reply: { 201: RunDetail },
    },
    async (call, kernel) => {
      const run = await start(base, kernel, call as StartCall);
      const after = await runAfterWait(kernel, call, run);
      const location = `${call.base}/actor-runs/${run.id}`;
      return reply(201, toRunDetail(after, kernel.clock.now(), kernel.publicUrl), { location });
    },
  );

  const syncRoutes = (['POST', 'GET'] as const).flatMap((method) => {
    const input = method === 'POST' ? 'with the body as its input' : 'without input';
    const body = method === 'POST' ? withInput : {};
    const suffix = method.toLowerCase();
    return [
      route(
        {
          ...common,
          ...body,
          ...OUTPUT_REPLY,
          id: `${id}_runSync_${suffix}`,
          method,
          path: `${path}/run-sync`,
          summary: `Run ${what} ${input}, and answer with its output`,
          query: OUTPUT_QUERY,
        },
        async (call, kernel) => {
          const run = await finished(kernel, call, await start(base, kernel, call as StartCall));
          return await replyWithOutput(kernel, run, call.query.outputRecordKey);
        },
      ),
      route(
        {
          ...common,
          ...body,
          ...ITEMS_REPLY,
          id: `${id}_runSyncGetDatasetItems_${suffix}`,
          method,
          path: `${path}/run-sync-get-dataset-items`,
          summary: `Run ${what} ${input}, and answer with the items of its dataset`,
          query: ITEMS_QUERY,
        },
        async (call, kernel) => {
          const run = await finished(kernel, call, await start(base, kernel, call as StartCall));
          return await replyWithItems(kernel, run, call as StartCall);
        },
      ),
    ];
  });

  return [startIt, ...syncRoutes] as Route[];
}

export const startRoutes = startRoutesOf(OF_ACTOR);
