// Runs: reboot, metamorph, resurrect and charge.
import { Failure } from '../../kernel/failure.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import type { Initiator } from '../../kernel/identity/identity.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Bytes, route } from '../../kernel/http/route.ts';
import { PlainText, Type } from '../../kernel/schema/schema.ts';
import { contested } from '../../kernel/storage/retry.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { openActor } from '../actors/access.ts';
import { findActorById, countMetamorph } from '../actors/store.ts';
import { resolveBuild } from '../builds/access.ts';
import { shareLockBuild } from '../builds/store.ts';
import { prepareInput, withSentInput } from '../input/prepare-input.ts';
import { checkExecution } from '../jobs/this-node.ts';
import { fitMemory } from '../input/memory.ts';
import { insertJob, requestControl } from '../jobs/store.ts';
import { insertRecord } from '../key-value-stores/store.ts';
import { discardContent, storeContent } from '../key-value-stores/write-record.ts';
import { unpackLog } from '../logs/stored-log.ts';
import { listRunWebhooks, recordRunEvent } from '../webhooks/record-event.ts';
import { isFinished } from '../jobs/job.ts';
import { openRun, openRunOfPath, runNotFound, UPDATE_RUN } from './access.ts';
import { abortOverBudget, chargeRun, chargeEventsOf, chargeForStart, hasPrice } from './charges.ts';
import { addAliases } from './declared-storages.ts';
import { RunDetail, toRunDetail, type Run } from './model.ts';
import { ByRun } from './routes.ts';
import { checkRunBudget, RUN_QUERY } from './run-query.ts';
import { checkQuota } from './start-run.ts';
import { addCharge, lockRun, moveRun, updateRun } from './store.ts';
import { insertRunStep } from './store-steps.ts';

const MAX_METAMORPHS = 10;

const reboot = route(
  {
    id: 'actorRun_reboot_post',
    method: 'POST',
    path: '/actor-runs/{runId}/reboot',
    summary: 'Start the process of a run anew, with the same storages',
    access: UPDATE_RUN,
    params: ByRun,
    reply: { 200: RunDetail },
  },
  async (call, kernel) => {
    const { id } = await openRun(kernel, call, call.params.runId, 'updateRun');
    const run = await kernel.db.transaction().execute(async (tx) => {
      const isHeard = await requestControl(tx, id, 'reboot');
      const before = checkUnfinished(await lockRun(tx, id));
      // It was resurrected since.
      if (!isHeard) throw contested('run');
      return before;
    });
    return toRunDetail(run, call.now, kernel.publicUrl);
  },
);

function checkUnfinished(run: Run | undefined): Run {
  if (run === undefined) throw runNotFound();
  if (!isFinished(run.status) && run.status !== 'ABORTING') return run;
  throw new Failure('forbidden', `The run has ended: its status is ${run.status}.`, { code: 'job-finished' });
}

const metamorph = route(
  {
    id: 'actorRun_metamorph_post',
    method: 'POST',
    path: '/actor-runs/{runId}/metamorph',
    aliases: [{ id: 'act_run_metamorph_post', path: '/actors/{actorId}/runs/{runId}/metamorph' }],
    summary: 'Let another Actor go on with a run, with a new input and the same storages',
    access: UPDATE_RUN,
    params: ByRun,
    query: Type.Object({ targetActorId: Type.String(), build: Type.Optional(Type.String()) }),
    streams: true,
    consumes: () => ({ '*/*': Type.Unknown({ description: 'The input of the other Actor' }) }),
    reply: { 200: RunDetail },
  },
  async (call, kernel) => {
    const { query, now } = call;
    const run = checkUnfinished(await openRunOfPath(kernel, call, 'updateRun'));
    const target = await openActor(kernel, call, query.targetActorId, 'runActor');
    const build = await resolveBuild(kernel.db, target, query.build ?? target.runOptions.build);
    const count = run.metamorphs.length + 1;
    const inputKey = `INPUT-METAMORPH-${count}`;
    return await withSentInput(kernel, call, async (sent) => {
      const owner = { userId: run.userId, actorId: target.id };
      const input = await prepareInput(kernel, {
        schema: build.inputSchema,
        body: sent.body,
        contentType: sent.contentType,
        owner,
      });
      const record = input && (await storeContent(kernel, run.storeId, input));
      const initiator = await initiatorAfter(kernel, run, call);
      const change = async (tx: Db): Promise<Run> => {
        const isHeard = await requestControl(tx, run.id, 'metamorph');
        const before = checkUnfinished(await lockRun(tx, run.id));
        if (before.metamorphs.length >= MAX_METAMORPHS) {
          throw new Failure('forbidden', `A run can have at most ${MAX_METAMORPHS} metamorphs.`, {
            code: 'max-metamorphs-exceeded',
          });
        }
        if (!isHeard || !hasSameBoundary(before, run)) throw contested('run');
        if (before.metamorphs.length + 1 !== count) {
          throw new Failure('conflict', 'Another metamorph of this run came first.', { isContested: true });
        }
        await shareLockBuild(tx, build);
        if (record !== undefined) await insertRecord(tx, run.storeId, inputKey, record, now);
        const changes = {
          ...(await addAliases(tx, before, build, now)),
          actorId: target.id,
          buildId: build.id,
          buildNumber: build.buildNumber,
          inputKey,
          meta: { ...before.meta, initiator },
          stats: { ...before.stats, metamorph: count },
          // Code of others never has more permissions than the run had.
          ...(target.userId !== run.userId && { permissionLevel: 'LIMITED_PERMISSIONS' as const }),
          metamorphs: [
            ...before.metamorphs,
            { createdAt: new Date(now).toISOString(), actorId: target.id, buildId: build.id, inputKey },
          ],
        };
        await moveRun(tx, before, changes);
        await countMetamorph(tx, target.id);
        return { ...before, ...changes };
      };
      try {
        return toRunDetail(await kernel.db.transaction().execute(change), now, kernel.publicUrl);
      } catch (error) {
        if (record !== undefined) await discardContent(kernel, record);
        throw error;
      }
    });
  },
);

/** The caller decides what the run does from now on, so it may do only what both they and its starter may. */
async function initiatorAfter(
  { identity }: Kernel,
  { meta }: Run,
  { caller, now }: { caller: KnownCaller; now: number },
): Promise<Initiator> {
  return await identity.initiatorWithin(caller, [meta.initiator.boundary, caller.boundary], now);
}

function hasSameBoundary(one: Run, other: Run): boolean {
  return one.meta.initiator.boundary === other.meta.initiator.boundary;
}

const { forcePermissionLevel: _level, ...RESURRECT_QUERY } = RUN_QUERY;

const resurrect = route(
  {
    id: 'actorRun_resurrect_post',
    method: 'POST',
    path: '/actor-runs/{runId}/resurrect',
    aliases: [{ id: 'act_run_resurrect_post', path: '/actors/{actorId}/runs/{runId}/resurrect' }],
    summary: 'Let a finished run go on, with the same storages',
    access: UPDATE_RUN,
    params: ByRun,
    query: Type.Object(RESURRECT_QUERY),
    reply: { 200: RunDetail },
  },
  async (call, kernel) => {
    const { query, now } = call;
    const run = await openRunOfPath(kernel, call, 'updateRun');
    checkExecution(kernel);
    checkRunBudget(query);
    const build = await buildForResurrection(kernel, run, query.build);
    const initiator = await initiatorAfter(kernel, run, call);
    const after = await kernel.db.transaction().execute(async (tx) => {
      const before = await lockRun(tx, run.id);
      if (before === undefined) throw runNotFound();
      if (!hasSameBoundary(before, run)) throw contested('run');
      if (!isFinished(before.status)) {
        throw new Failure(
          'invalid',
          `Only a finished run can be resurrected: the status of this one is ${before.status}.`,
          {
            code: 'invalid-request',
          },
        );
      }
      const { options } = before;
      const changes = {
        ...(build && { buildId: build.id, buildNumber: build.buildNumber }),
        // Who started it may be gone, and it acts for the one who wants it to go on.
        meta: { ...before.meta, initiator },
        status: 'READY' as const,
        statusMessage: null,
        isMessageTerminal: false,
        exitCode: null,
        finishedAt: null,
        timeoutAt: null,
        options: {
          ...options,
          ...(query.build !== undefined && { build: query.build }),
          ...(query.timeout !== undefined && { timeoutSecs: query.timeout }),
          ...(query.memory !== undefined && memoryOptions(query.memory)),
          ...(query.maxItems !== undefined && { maxItems: query.maxItems }),
          ...(query.maxTotalChargeUsd !== undefined && { maxTotalChargeUsd: query.maxTotalChargeUsd }),
          ...(query.restartOnError !== undefined && { restartOnError: query.restartOnError }),
        },
        stats: { ...before.stats, resurrectCount: before.stats.resurrectCount + 1 },
      };
      const chargedEvents = chargeForStart({ ...before, ...changes });
      const aliases = build && (await addAliases(tx, before, build, now));
      const later = { ...before, ...changes, ...aliases, chargedEvents };
      await checkQuota(kernel, tx, later);
      if (build !== undefined) await shareLockBuild(tx, build);
      await updateRun(tx, run.id, { ...changes, ...aliases, chargedEvents });
      const { memoryMbytes } = changes.options;
      await insertJob(tx, { id: run.id, kind: 'run', userId: run.userId, memoryMbytes }, now);
      await insertRunStep(tx, run.id, 'resurrected', now);
      await recordRunEvent(tx, await listRunWebhooks(tx, later), later, 'RESURRECTED', now);
      return later;
    });
    // So that its followers wait for what comes.
    await unpackLog(kernel, run.id);
    return toRunDetail(after, now, kernel.publicUrl);
  },
);

function memoryOptions(memory: number) {
  const memoryMbytes = fitMemory(memory, 'memory', {});
  return { memoryMbytes, diskMbytes: memoryMbytes * 2 };
}

async function buildForResurrection({ db }: Kernel, run: Run, name: string | undefined) {
  if (name === undefined) return undefined;
  const actor = await findActorById(db, run.actorId);
  if (actor === undefined) throw new Failure('not-found', 'Actor was not found', { code: 'actor-not-found' });
  return await resolveBuild(db, actor, name);
}

const MAX_COUNT = 10_000_000;

const charge = route(
  {
    id: 'actorRun_charge_post',
    method: 'POST',
    path: '/actor-runs/{runId}/charge',
    summary: 'Count events of a run that is paid by event; nobody pays here',
    description:
      'Calls with the same header `idempotency-key` within three minutes count once. Events that the `maxTotalChargeUsd` of the run does not cover are not counted, and the run is aborted.',
    access: UPDATE_RUN,
    params: ByRun,
    body: Type.Object(
      {
        eventName: PlainText({ minLength: 1, maxLength: 200 }),
        count: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_COUNT })),
      },
      { $id: 'ChargeRunRequest' },
    ),
    produces: 'application/json',
    reply: { 201: Type.Object({}) },
  },
  async (call, kernel) => {
    const { body, headers, now } = call;
    const { id } = await openRun(kernel, call, call.params.runId, 'updateRun');
    const { eventName, count = 1 } = body;
    if (eventName.startsWith('apify-')) {
      throw new Failure(
        'forbidden',
        'Events whose names begin with "apify-" are counted by the platform alone.',
        {
          code: 'cannot-charge-apify-event',
        },
      );
    }
    const key = headers['idempotency-key'];
    const isOverBudget = await kernel.db.transaction().execute(async (tx) => {
      const run = checkUnfinished(await lockRun(tx, id));
      checkEvent(run, eventName);
      if (typeof key === 'string' && !(await addCharge(tx, id, key, now))) return false;
      return await chargeRun(tx, run, eventName, count);
    });
    if (isOverBudget) await abortOverBudget(kernel, id, now);
    return new Bytes(Buffer.from('{}'), { 'content-type': 'application/json; charset=utf-8' }, 201);
  },
);

function checkEvent({ pricing }: Run, event: string): void {
  if (chargeEventsOf(pricing) === undefined) {
    throw new Failure(
      'forbidden',
      'The run cannot be charged: its Actor was not paid by event when it started.',
      {
        code: 'cannot-charge-non-pay-per-event-actor',
      },
    );
  }
  if (!hasPrice(pricing, event)) {
    throw new Failure(
      'not-found',
      `The prices of the run have no event "${event}". Add it to the pricingInfos of the Actor, and start a new run.`,
    );
  }
}

export const controlRoutes = [reboot, metamorph, resurrect, charge];
