// Finds a run, and checks that the caller may see or change it, or start one from a browser.
import { Failure } from '../../kernel/failure.ts';
import { accountOf, type KnownCaller, type Caller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Call } from '../../kernel/http/route.ts';
import { openActor } from '../actors/access.ts';
import { type Run, runTag } from './model.ts';
import { findRun } from './store.ts';

type RunAction = 'viewRun' | 'updateRun' | 'deleteRun';

/** For the `access` of routes about one run. */
export const VIEW_RUN = { action: 'viewRun', ofOwner: true } as const;
export const UPDATE_RUN = { action: 'updateRun', ofOwner: true } as const;

type RunCall = Pick<Call, 'can'> & { caller: KnownCaller };

/** Runs of other accounts are reported as missing. */
export async function openRun(kernel: Kernel, call: RunCall, id: string, action: RunAction): Promise<Run> {
  const run = await findRun(kernel.db, id);
  checkRun(call, run, action);
  return run;
}

/** For routes that have a deprecated path below the Actor. A run that was handed to another Actor is still found below the first. */
export async function openRunOfPath(
  kernel: Kernel,
  call: RunCall & { params: { runId: string } },
  action: RunAction,
): Promise<Run> {
  const { runId, actorId } = call.params as { runId: string; actorId?: string };
  const run = await openRun(kernel, call, runId, action);
  if (actorId === undefined) return run;
  const actor = await openActor(kernel, call, actorId, 'viewActor');
  if (actor.id !== run.actorId && run.metamorphs.length === 0) throw runNotFound();
  return run;
}

export function checkRun(call: RunCall, run: Run | undefined, action: RunAction): asserts run is Run {
  const isAllowed = call.can(run === undefined ? 'actor-run/*' : runResource(run), action);
  if (run === undefined || run.userId !== accountOf(call.caller).id) throw runNotFound();
  if (isAllowed) return;
  // A program with limited permissions learns nothing about other runs.
  if (call.caller.program !== undefined) throw runNotFound();
  throw new Failure('denied', `Insufficient permissions for the Actor run: ${action} is needed.`);
}

/** With the run that started it as a tag. */
function runResource({ id, meta }: Run): string {
  return `actor-run/${id}${meta.startedByRunId === undefined ? '' : `;${runTag(meta.startedByRunId)}`}`;
}

export function runNotFound(): Failure {
  return new Failure('not-found', 'Actor run was not found');
}

/**
 * Against CSRF where reading has effects: browsers send the session with links of any site.
 * With a session, a request that starts something must come from this server's own pages, or from the address bar. Pages of
 * programs are no pages of this server: they have no origin.
 */
export function checkBrowser(
  { caller, headers }: { caller: Caller; headers: Record<string, string | string[] | undefined> },
  publicUrl: string,
): void {
  if (caller.kind !== 'session') return;
  const site = headers['sec-fetch-site'];
  const isOwn =
    site === undefined
      ? headers['origin'] === new URL(publicUrl).origin
      : site === 'same-origin' || site === 'none';
  if (isOwn) return;
  throw new Failure(
    'forbidden',
    'With a session, this can be called from pages of this server and from the address bar of a browser only. Use an access token elsewhere.',
  );
}
