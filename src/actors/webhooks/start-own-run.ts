// Webhooks that start a run of this very server: without a call, and with the permissions of the caller who saved the webhook last.
import { actorOf } from '../../kernel/identity/actor.ts';
import { Failure } from '../../kernel/failure.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { checker, coercer, Type } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { DueDelivery } from '../../kernel/webhooks/policy.ts';
import type { Attempt } from '../../kernel/webhooks/send.ts';
import { openActor } from '../actors/access.ts';
import { renderError, status } from '../failures.ts';
import type { JobMeta } from '../jobs/job-meta.ts';
import { toRunDetail, type Run } from '../runs/model.ts';
import { RUN_QUERY, type RunQuery } from '../runs/run-query.ts';
import { startRun } from '../runs/start-run.ts';
import { openTask } from '../tasks/access.ts';
import { startTaskRun } from '../tasks/start-task-run.ts';
import { ACTORS_API, type DispatchDetails } from './dispatch-model.ts';
import { callerOfMaker } from './maker.ts';
import type { OwnRunUrl } from './own-url.ts';

/** A webhook that starts the run that it listens to would otherwise never end. */
const MAX_DEPTH = 10;
const KEPT_LENGTH = 2048;

const OwnRunQuery = Type.Object(RUN_QUERY);
const coerceQuery = coercer(OwnRunQuery);
const checkQuery = checker(OwnRunQuery, 'query');

/** Saves the result in the transaction that creates the run, so that a crash in between starts no second one. */
export type SaveResult = (tx: Db, attempt: Attempt) => Promise<void>;

export async function startOwnRun(
  kernel: Kernel,
  url: OwnRunUrl,
  dispatch: DueDelivery,
  details: DispatchDetails,
  save: SaveResult,
): Promise<Attempt> {
  const begun = performance.now();
  const attempt = (fields: Partial<Attempt>): Attempt => ({
    status: null,
    error: null,
    durationMs: Math.round(performance.now() - begun),
    response: '',
    isTimeout: false,
    isFinal: false,
    ...fields,
  });
  if (details.depth >= MAX_DEPTH) {
    const error = `Webhooks have started ${MAX_DEPTH} runs in a row, each by the one before. The chain ends here.`;
    return attempt({ error, isFinal: true });
  }
  const now = kernel.clock.now();
  try {
    const caller = await callerOf(kernel, url, details, now);
    const shown = (run: Run) => JSON.stringify({ data: toRunDetail(run, now) }).slice(0, KEPT_LENGTH);
    const run = await start(kernel, url, { caller, dispatch, details }, now, (tx, made) =>
      save(tx, attempt({ status: 201, response: shown(made) })),
    );
    return attempt({ status: 201, response: shown(run) });
  } catch (error) {
    const failure = error instanceof Failure ? error : undefined;
    if (failure === undefined) kernel.log.error({ err: error, dispatch: dispatch.id }, 'a webhook failed');
    const shownFailure = failure ?? new Failure('internal', 'An internal error occurred.');
    return attempt({
      status: status[shownFailure.kind],
      response: JSON.stringify(renderError(shownFailure)).slice(0, KEPT_LENGTH),
      // A token that is gone does not come back.
      isFinal: shownFailure.kind === 'unauthenticated',
    });
  }
}

/** A token in the URL is used as it would be in a call. */
async function callerOf(
  kernel: Kernel,
  { token }: OwnRunUrl,
  { maker }: DispatchDetails,
  now: number,
): Promise<KnownCaller> {
  const caller =
    token === undefined
      ? await callerOfMaker(kernel, maker, now)
      : await kernel.identity.identify({ kind: 'token', secret: token }, now);
  if (caller !== undefined && (caller.program === undefined || caller.program.api === ACTORS_API))
    return caller;
  throw new Failure(
    'unauthenticated',
    'The token, session or run that saved the webhook is gone. Save the webhook again with a valid token.',
  );
}

interface OwnRunStart {
  caller: KnownCaller;
  dispatch: DueDelivery;
  details: DispatchDetails;
}

async function start(
  kernel: Kernel,
  { kind, reference, query }: OwnRunUrl,
  { caller, dispatch, details }: OwnRunStart,
  now: number,
  inSameTransaction: (tx: Db, run: Run) => Promise<void>,
): Promise<Run> {
  const call = actorOf(caller, now);
  const options = coerceQuery(query);
  checkQuery(options);
  const meta: JobMeta = {
    origin: 'WEBHOOK',
    initiator: await kernel.identity.initiatorOf(caller, now),
    webhookDepth: details.depth + 1,
    ...(caller.program && { startedByRunId: caller.program.id }),
  };
  const input = { body: Buffer.from(dispatch.body), contentType: 'application/json' };
  const common = { caller, meta, query: options as RunQuery, input, inSameTransaction };
  const asker = { caller, can: call.can };
  if (kind === 'task') {
    const task = await openTask(kernel, asker, reference, 'runTask');
    return await startTaskRun(kernel, { task, ...common }, now);
  }
  const actor = await openActor(kernel, asker, reference, 'runActor');
  return await startRun(kernel, { actor, ...common }, now);
}
