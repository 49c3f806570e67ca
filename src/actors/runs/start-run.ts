// Starts a run: checks what is asked for, creates its storages with the input, and queues it for a node.
import { readableFrom } from '../../kernel/network/streams.ts';
import { Failure } from '../../kernel/failure.ts';
import { newId } from '../../kernel/id.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import { shareLockAccount } from '../../kernel/identity/store-accounts.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { problem } from '../../kernel/schema/schema.ts';
import { awaitAll } from '../../kernel/storage/execute-all.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { isOwnerOf } from '../actors/access.ts';
import { countRunStart } from '../actors/store.ts';
import { findPricing } from '../actors/pricing.ts';
import { PERMISSION_LEVELS, type Actor, type PermissionLevel } from '../actors/model.ts';
import type { Build } from '../builds/model.ts';
import { resolveBuild } from '../builds/access.ts';
import { prepareInput, type InputBody } from '../input/prepare-input.ts';
import type { SentInput } from '../input/read-body.ts';
import { memoryOfRun } from '../input/run-memory.ts';
import { checkExecution } from '../jobs/check-execution.ts';
import { insertJob } from '../jobs/store.ts';
import { INLINE_BYTES, insertSmallRecord, writeRecord } from '../key-value-stores/write-record.ts';
import { insertLog } from '../logs/store.ts';
import { countTaskRun } from '../tasks/store.ts';
import { type JobMeta } from '../jobs/job-meta.ts';
import type { InsertAdHoc } from '../webhooks/ad-hoc.ts';
import { listRunWebhooks, recordRunEvent } from '../webhooks/record-event.ts';
import { chargeForStart } from './charges.ts';
import { insertStorages, newAliases } from './declared-storages.ts';
import { NEW_STATS, storageIdsOf, type Run, type RunOptions } from './model.ts';
import { removeRunStorages } from './change-run.ts';
import { checkPositive, type RunQuery } from './run-query.ts';
import { findRun, insertRun, lockUnfinished } from './store.ts';

export interface RunStart {
  actor: Actor;
  /** The run belongs to their account. */
  caller: KnownCaller;
  taskId?: string;
  /** The one node that may execute it, as long as that is there. */
  node?: string | undefined;
  meta: JobMeta;
  query: RunQuery;
  /** As it was sent; `none` where the run has no input at all, whatever its schema requires. */
  input: SentInput | 'none';
  /** Saves what belongs to the run, in the transaction that creates it. */
  inSameTransaction?(tx: Db, run: Run): Promise<void>;
  /** The webhooks that the caller brings along. */
  webhooks?: InsertAdHoc | undefined;
}

export async function startRun(kernel: Kernel, start: RunStart, now: number): Promise<Run> {
  const { actor, caller, query } = start;
  const { id: userId } = accountOf(caller);
  checkExecution(kernel);
  const buildName = query.build ?? actor.runOptions.build;
  const build = await resolveBuild(kernel.db, actor, buildName);
  const input =
    start.input === 'none'
      ? undefined
      : await prepareInput(kernel, {
          schema: build.inputSchema,
          body: start.input.body,
          contentType: start.input.contentType,
          owner: { userId, actorId: actor.id },
        });
  const options = await optionsOf(kernel, start, build, buildName, input);
  const run = newRun(start, build, options, input, now);
  await inheritDepth(kernel, run);
  const isLarge = input !== undefined && input.body.byteLength > INLINE_BYTES;
  try {
    if (isLarge) {
      await kernel.db.transaction().execute(async (tx) => {
        await shareLockAccount(tx, caller);
        await insertAll(tx, run, build);
      });
      // Before the run is there: a node may start it at once.
      await saveInput(kernel, run, input, now);
    }
    await kernel.db.transaction().execute(async (tx) => {
      await shareLockAccount(tx, caller);
      await checkQuota(kernel, tx, run);
      const [, , , , listening] = await awaitAll([
        isLarge ? undefined : insertAll(tx, run, build, input),
        insertRun(tx, run),
        insertLog(tx, { id: run.id, userId }, now),
        insertJob(
          tx,
          { id: run.id, kind: 'run', userId, memoryMbytes: options.memoryMbytes, node: start.node },
          now,
        ),
        listRunWebhooks(tx, run),
      ]);
      const own = (await start.webhooks?.(tx, run)) ?? [];
      await start.inSameTransaction?.(tx, run);
      // Late, because all runs of the Actor wait for this row.
      await countRunStart(tx, actor.id, userId, now);
      // After the Actor, whose deletion locks it and then its tasks.
      if (run.taskId !== null && !(await countTaskRun(tx, run.taskId, now))) throw taskGone();
      await recordRunEvent(tx, [...listening, ...own], run, 'CREATED', now);
    });
  } catch (error) {
    if (isLarge) await removeUnused(kernel, run, now);
    throw error;
  }
  return run;
}

function taskGone(): Failure {
  return new Failure('not-found', 'The task was deleted meanwhile');
}

/** A run that a program starts continues the chain of webhooks that has started the program. */
async function inheritDepth({ db }: Kernel, { meta }: Run): Promise<void> {
  if (meta.startedByRunId === undefined || meta.webhookDepth !== undefined) return;
  const depth = (await findRun(db, meta.startedByRunId))?.meta.webhookDepth;
  if (depth !== undefined) meta.webhookDepth = depth;
}

/** The storages of a run that could not be started: a caller who tries again and again must not fill the database with them. */
async function removeUnused({ db, log }: Kernel, run: Run, now: number): Promise<void> {
  try {
    await db.transaction().execute(async (tx) => {
      // The answer of a commit may be lost.
      if ((await findRun(tx, run.id)) === undefined) await removeRunStorages(tx, run, now);
    });
  } catch (error) {
    log.warn({ err: error, run: run.id }, 'cannot remove the storages of a run that has not started');
  }
}

async function optionsOf(
  kernel: Kernel,
  { actor, query, caller }: RunStart,
  build: Build,
  buildName: string,
  input: InputBody | undefined,
): Promise<RunOptions> {
  const { runOptions } = actor;
  const maxItems = query.maxItems ?? runOptions.maxItems;
  checkPositive(query.maxItems, 'maxItems', 'max-items-must-be-greater-than-zero');
  checkPositive(
    query.maxTotalChargeUsd,
    'maxTotalChargeUsd',
    'max-total-charge-usd-must-be-greater-than-zero',
  );
  const timeoutSecs = query.timeout ?? runOptions.timeoutSecs;
  const restartOnError = query.restartOnError ?? runOptions.restartOnError;
  const maxTotalChargeUsd = query.maxTotalChargeUsd ?? null;
  const memoryMbytes = await memoryOfRun(kernel, {
    requested: query.memory,
    definition: build.definition ?? {},
    actorDefault: runOptions.memoryMbytes,
    input,
    runOptions: { build: buildName, timeoutSecs, maxItems, maxTotalChargeUsd, restartOnError },
    userId: accountOf(caller).id,
  });
  return {
    build: buildName,
    timeoutSecs,
    memoryMbytes,
    diskMbytes: memoryMbytes * 2,
    maxItems,
    maxTotalChargeUsd,
    restartOnError,
  };
}

/** One's own Actors have all permissions of a run; those of others only what the caller gives them. */
function permissionLevelOf({ actor, caller, query }: RunStart): PermissionLevel {
  const { forcePermissionLevel } = query;
  if (forcePermissionLevel === undefined)
    return isOwnerOf(caller, actor) ? 'FULL_PERMISSIONS' : 'LIMITED_PERMISSIONS';
  const level = PERMISSION_LEVELS.find((one) => one === forcePermissionLevel);
  if (level === undefined)
    throw problem('query.forcePermissionLevel', `must be one of ${PERMISSION_LEVELS.join(', ')}`);
  return level;
}

function newRun(
  start: RunStart,
  build: Build,
  options: RunOptions,
  input: InputBody | undefined,
  now: number,
): Run {
  const pricing = findPricing(start.actor.details.pricingInfos, now);
  const aliases = newAliases(build, now);
  const priced = { ...(pricing && { pricing }), options, chargedEvents: {} };
  return {
    ...priced,
    id: newId(now),
    actorId: start.actor.id,
    userId: accountOf(start.caller).id,
    taskId: start.taskId ?? null,
    buildId: build.id,
    buildNumber: build.buildNumber,
    status: 'READY',
    statusMessage: null,
    isMessageTerminal: false,
    meta: { ...start.meta },
    stats: { ...NEW_STATS, inputBodyLen: input?.body.byteLength ?? null },
    exitCode: null,
    startedAt: now,
    finishedAt: null,
    timeoutAt: null,
    datasetId: newId(now),
    storeId: newId(now),
    queueId: newId(now),
    ...(aliases && { aliases }),
    inputKey: 'INPUT',
    generalAccess: 'FOLLOW_USER_SETTING',
    permissionLevel: permissionLevelOf(start),
    chargedEvents: chargeForStart(priced),
    metamorphs: [],
  };
}

async function insertAll(tx: Db, run: Run, build: Build, input?: InputBody): Promise<void> {
  const { startedAt: now, storeId, inputKey } = run;
  await insertStorages(tx, run, build, storageIdsOf(run), now);
  if (input !== undefined) await insertSmallRecord(tx, storeId, inputKey, input, now);
}

export async function saveInput(
  kernel: Kernel,
  { storeId, inputKey }: Pick<Run, 'storeId' | 'inputKey'>,
  { body, contentType }: InputBody,
  now: number,
): Promise<void> {
  const stream = readableFrom([body]);
  const upload = { contentType, encoding: null, stream, length: body.byteLength };
  await writeRecord(kernel, storeId, inputKey, upload, now);
}

export async function checkQuota({ settings }: Kernel, tx: Db, { userId, options }: Run): Promise<void> {
  const { accountRuns, accountMemoryMbytes, nodeMemoryMbytes, isExecuting } = settings.execution;
  const { memoryMbytes } = options;
  const used = await lockUnfinished(tx, userId);
  if (used.runs + 1 > accountRuns) {
    throw new Failure(
      'over-quota',
      `You have ${used.runs} unfinished runs, and may have ${accountRuns}. Wait until some finish, or abort them.`,
      { code: 'concurrent-runs-limit-exceeded' },
    );
  }
  if (used.memoryMbytes + memoryMbytes > accountMemoryMbytes) {
    throw new Failure(
      'over-quota',
      `Your unfinished runs have ${used.memoryMbytes} MB of memory, and with this run they would have more than ${accountMemoryMbytes} MB. Wait until some finish, or ask for less memory.`,
      { code: 'actor-memory-limit-exceeded' },
    );
  }
  if (isExecuting && memoryMbytes > nodeMemoryMbytes) {
    throw new Failure(
      'over-quota',
      `The run would need ${memoryMbytes} MB of memory, and this server has ${nodeMemoryMbytes} MB for runs. Ask for less with the parameter memory.`,
      { code: 'actor-memory-limit-exceeded' },
    );
  }
}
