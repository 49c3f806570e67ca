// Starts a run: checks what is asked for, makes the run with all that it begins with, and queues it for a node.
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
import { PERMISSION_LEVELS, type Actor, type PermissionLevel } from '../actors/model.ts';
import type { Build } from '../builds/model.ts';
import { resolveBuild } from '../builds/access.ts';
import { shareLockBuild } from '../builds/store.ts';
import { prepareInput, type InputBody, type SentInput } from '../input/prepare-input.ts';
import { memoryOfRun } from '../input/memory.ts';
import { checkExecution } from '../jobs/this-node.ts';
import { insertJob } from '../jobs/store.ts';
import { discardContent, storeContent } from '../key-value-stores/write-record.ts';
import { insertLog } from '../logs/store.ts';
import { countTaskRun } from '../tasks/store.ts';
import type { JobMeta } from '../jobs/job-meta.ts';
import { insertAdHocWebhooks, type AdHocDrafts } from '../webhooks/ad-hoc.ts';
import { listRunWebhooks, recordRunEvent } from '../webhooks/record-event.ts';
import { priceStart } from './charges.ts';
import { insertRunStorages, newAliases } from './declared-storages.ts';
import { NEW_STATS, type Run, type RunOptions } from './model.ts';
import { checkRunBudget, type RunQuery } from './run-query.ts';
import { findRun, insertRun, lockUnfinished } from './store.ts';
import { insertRunStep } from './store-steps.ts';

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
  webhooks?: AdHocDrafts | undefined;
}

/** Checks the start, makes the run, and inserts it with all that belongs to it in one transaction, after which a node may claim it. */
export async function startRun(kernel: Kernel, start: RunStart, now: number): Promise<Run> {
  checkExecution(kernel);
  const checked = await checkStart(kernel, start);
  const run = newRun(start, checked, now);
  const { build, input } = checked;
  const record = input && (await storeContent(kernel, run.storeId, input));
  try {
    await kernel.db.transaction().execute(async (tx) => {
      const { id, userId, taskId } = run;
      await shareLockAccount(tx, start.caller);
      await checkQuota(kernel, tx, run);
      const [listening] = await awaitAll([
        listRunWebhooks(tx, run),
        shareLockBuild(tx, build),
        insertRunStorages(tx, { run, build, input: record }, now),
        insertRun(tx, run),
        insertLog(tx, run, now),
        insertJob(
          tx,
          { id, kind: 'run', userId, memoryMbytes: run.options.memoryMbytes, node: start.node },
          now,
        ),
      ]);
      const own = start.webhooks === undefined ? [] : await insertAdHocWebhooks(tx, start.webhooks, run);
      await start.inSameTransaction?.(tx, run);
      // Late, because all runs of the Actor wait for this row.
      await countRunStart(tx, run.actorId, userId, now);
      // After the Actor, whose deletion locks it and then its tasks.
      if (taskId !== null && !(await countTaskRun(tx, taskId, now)))
        throw new Failure('not-found', 'The task was deleted meanwhile');
      const { startedByRunId } = run.meta;
      if (startedByRunId !== undefined)
        await insertRunStep(tx, startedByRunId, 'child', now, { runId: run.id });
      await recordRunEvent(tx, [...listening, ...own], run, 'CREATED', now);
    });
  } catch (error) {
    // A caller who tries again and again must not fill the disk.
    if (record !== undefined) await discardContent(kernel, record);
    throw error;
  }
  return run;
}

/** What a start comes to, once the build, the input and the options are known to be right. */
interface CheckedStart {
  meta: JobMeta;
  build: Build;
  input: InputBody | undefined;
  options: RunOptions;
}

/** All that needs no lock. What the call leaves open is decided by the Actor. */
async function checkStart(kernel: Kernel, start: RunStart): Promise<CheckedStart> {
  const { actor, query } = start;
  const { runOptions } = actor;
  const { id: userId } = accountOf(start.caller);
  const meta = await inheritDepth(kernel, start.meta);
  const buildName = query.build ?? runOptions.build;
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
  checkRunBudget(query);
  const timeoutSecs = query.timeout ?? runOptions.timeoutSecs;
  const maxItems = query.maxItems ?? runOptions.maxItems;
  const maxTotalChargeUsd = query.maxTotalChargeUsd ?? null;
  const restartOnError = query.restartOnError ?? runOptions.restartOnError;
  const memoryMbytes = await memoryOfRun(kernel, {
    requested: query.memory,
    definition: build.definition ?? {},
    actorDefault: runOptions.memoryMbytes,
    input,
    runOptions: { build: buildName, timeoutSecs, maxItems, maxTotalChargeUsd, restartOnError },
    userId,
  });
  const options = {
    build: buildName,
    timeoutSecs,
    memoryMbytes,
    diskMbytes: memoryMbytes * 2,
    maxItems,
    maxTotalChargeUsd,
    restartOnError,
  };
  return { meta, build, input, options };
}

/** A run that a program starts continues the chain of webhooks that has started the program. */
async function inheritDepth({ db }: Kernel, meta: JobMeta): Promise<JobMeta> {
  if (meta.startedByRunId === undefined || meta.webhookDepth !== undefined) return meta;
  const webhookDepth = (await findRun(db, meta.startedByRunId))?.meta.webhookDepth;
  return { ...meta, ...(webhookDepth !== undefined && { webhookDepth }) };
}

function newRun(start: RunStart, { meta, build, input, options }: CheckedStart, now: number): Run {
  const permissionLevel = permissionLevelOf(start);
  const aliases = newAliases(build, now);
  return {
    id: newId(now),
    actorId: start.actor.id,
    userId: accountOf(start.caller).id,
    taskId: start.taskId ?? null,
    buildId: build.id,
    buildNumber: build.buildNumber,
    status: 'READY',
    statusMessage: null,
    isMessageTerminal: false,
    meta,
    options,
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
    permissionLevel,
    ...priceStart(start.actor.details.pricingInfos, options, now),
    metamorphs: [],
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
