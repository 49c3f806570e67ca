// Sends the dispatches of webhooks: by a call, or by starting a run where the URL is one of this server.
import type { Kernel } from '../../kernel/kernel.ts';
import {
  INDEPENDENT,
  type AttemptDelivery,
  type DeliveryPolicy,
  type DueDelivery,
} from '../../kernel/webhooks/policy.ts';
import type { Attempt } from '../../kernel/webhooks/send.ts';
import { markDelivered } from '../../kernel/webhooks/store-queue.ts';
import { actorOf } from '../../kernel/identity/actor.ts';
import { Failure } from '../../kernel/failure.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import { checker, coercer, Type } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { openActor } from '../actors/access.ts';
import { renderError, status as statusOfKinds } from '../failures.ts';
import type { JobMeta } from '../jobs/job-meta.ts';
import { toRunDetail, type Run } from '../runs/model.ts';
import { RUN_QUERY, type RunQuery } from '../runs/run-query.ts';
import { startRun } from '../runs/start-run.ts';
import { openTask } from '../tasks/access.ts';
import { startTaskRun } from '../tasks/start-task-run.ts';
import { type DispatchDetails, ACTORS_API } from './dispatch-model.ts';
import { parseOwnRunUrl, type OwnRunUrl } from './own-url.ts';
import { endLastDispatch } from './store.ts';
import { callerOfMaker } from './access.ts';

const MINUTE = 60 * 1000;
/** Doubling from one minute: about 34 hours in all. */
const WAITS: readonly number[] = Array.from({ length: 11 }, (_, retry) => MINUTE * 2 ** retry);
const TEST_WAITS = WAITS.slice(0, 3);

export function actorDeliveryPolicy(kernel: Kernel): DeliveryPolicy {
  const attempt: AttemptDelivery = async (dispatch, send) => {
    const details = detailsOf(dispatch);
    if (details.refusal !== undefined) return refused(details.refusal);
    const own = parseOwnRunUrl(details.requestUrl, kernel.publicUrl);
    const result =
      own === undefined
        ? await send({
            url: details.requestUrl,
            headers: { ...details.headers, ...headersFor(dispatch) },
            body: dispatch.body,
            trustsAnyCertificate: details.ignoreSslErrors,
          })
        : await startOwnRun(kernel, own, dispatch, details, (tx, saved) =>
            markDelivered(tx, dispatch, saved, kernel.clock.now()),
          );
    return result && withError(result);
  };
  return {
    order: INDEPENDENT,
    answerMs: 120_000,
    keptBytes: 2048,
    expiryError: 'It was given up.',
    waitsOf(dispatch) {
      const { eventType, doNotRetry } = detailsOf(dispatch);
      if (doNotRetry) return [];
      return eventType === 'TEST' ? TEST_WAITS : WAITS;
    },
    // Everything that is needed was saved with the dispatch.
    openHook: async () => attempt,
    statementsAfter: (db, finished, now) => finished.map((one) => endLastDispatch(db, one, now)),
  };
}

function detailsOf({ details }: DueDelivery): DispatchDetails {
  return JSON.parse(details) as DispatchDetails;
}

/** No template can have others instead. */
function headersFor({ id }: DueDelivery): Record<string, string> {
  const platform = { Webhook: 'true', 'Webhook-Dispatch-Id': id, 'Request-Origin': 'WEBHOOK' };
  return {
    'Content-Type': 'application/json',
    ...Object.fromEntries(
      Object.entries(platform).flatMap(([name, value]) => [
        [`X-Apify-${name}`, value],
        [`X-Platform-${name}`, value],
      ]),
    ),
  };
}

function refused(error: string): Attempt {
  return { status: null, error, durationMs: 0, response: '', isTimeout: false, isFinal: true };
}

/** Only a URL that this server never calls is given up at once: receivers of any status may recover. */
function withError(attempt: Attempt): Attempt {
  const { status } = attempt;
  if (status === null || (status >= 200 && status < 300)) return attempt;
  const isFinal = attempt.isFinal && status !== 410;
  return { ...attempt, isFinal, error: `Endpoint responded with HTTP status code ${status}` };
}

/** A webhook that starts the run that it listens to would otherwise never end. */
const MAX_DEPTH = 10;
const KEPT_LENGTH = 2048;

const OwnRunQuery = Type.Object(RUN_QUERY);
const coerceQuery = coercer(OwnRunQuery);
const checkQuery = checker(OwnRunQuery, 'query');

/** Saves the result in the transaction that creates the run, so that a crash in between starts no second one. */
type SaveResult = (tx: Db, attempt: Attempt) => Promise<void>;

/** Without a call, and with the permissions of the caller who saved the webhook last. */
async function startOwnRun(
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
      status: statusOfKinds[shownFailure.kind],
      response: JSON.stringify(renderError(shownFailure)).slice(0, KEPT_LENGTH),
      // A token that is gone does not come back.
      isFinal: shownFailure.kind === 'unauthenticated',
    });
  }
}

/** As the use of a token names it: a webhook whose address is that of a run to start calls nobody. */
const START = { id: 'webhook' };

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
  if (token !== undefined && caller !== undefined)
    kernel.tokenUses.record(caller, { now, address: '', categories: [], shape: START }, ACTORS_API);
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
