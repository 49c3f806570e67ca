// Finds a webhook and checks that the caller may do something with it; and whose permissions it has when it starts a run.
import { Failure } from '../../kernel/failure.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Call } from '../../kernel/http/route.ts';
import { recordedAs } from '../../kernel/identity/identity.ts';
import { runTag } from '../runs/model.ts';
import { programOf } from '../runs/run-tokens.ts';
import { findRun } from '../runs/store.ts';
import { webhookNotFound, type ActorWebhook, type WebhookMaker } from './model.ts';
import { findActorWebhook } from './store.ts';

type WebhookAction = 'viewWebhook' | 'createWebhook' | 'updateWebhook' | 'deleteWebhook';

export type WebhookCall = Pick<Call, 'can'> & { caller: KnownCaller };

/** All webhooks of an account. */
const ANY_WEBHOOK = 'actor-webhook/*';

/** A webhook on a run has that run as a tag, and the run that started it: their programs may add webhooks. */
export function actorWebhookResource({
  id = '*',
  target,
  parentRunId,
}: { id?: string } & Pick<ActorWebhook, 'target' | 'parentRunId'>): string {
  if (target.kind !== 'run') return `actor-webhook/${id}`;
  const runs = parentRunId === null ? [target.id] : [target.id, parentRunId];
  return `actor-webhook/${id};${runs.map(runTag).join(',')}`;
}

/** Webhooks of other accounts are reported as missing. */
export async function openWebhook(
  kernel: Kernel,
  call: WebhookCall,
  id: string,
  action: WebhookAction,
): Promise<ActorWebhook> {
  const webhook = await findActorWebhook(kernel.db, id);
  const isAllowed = call.can(webhook === undefined ? ANY_WEBHOOK : actorWebhookResource(webhook), action);
  if (webhook === undefined || webhook.userId !== accountOf(call.caller).id) throw webhookNotFound();
  if (isAllowed) return webhook;
  // A program learns nothing about other webhooks.
  if (call.caller.program !== undefined) throw webhookNotFound();
  throw webhookDenied(action);
}

export function requireWebhooks(call: WebhookCall, action: WebhookAction, resource = ANY_WEBHOOK): void {
  if (!call.can(resource, action)) throw webhookDenied(action);
}

function webhookDenied(action: WebhookAction): Failure {
  return new Failure('denied', `Insufficient permissions for webhooks: ${action} is needed.`);
}

/** Whose permissions a webhook has when it starts a run: those of the token, session or run that saved it last. */
export function makerOf(caller: KnownCaller): WebhookMaker {
  const { token, program } = caller;
  return {
    initiator: recordedAs(caller),
    ...(token !== undefined && !token.isService && { tokenId: token.id }),
    ...(program !== undefined && { runId: program.id }),
  };
}

/** With the permissions they have now; undefined when the member, the token or the run is gone, or the token has expired. */
export async function callerOfMaker(
  { db, identity }: Kernel,
  { initiator, tokenId, runId }: WebhookMaker,
  now: number,
): Promise<KnownCaller | undefined> {
  if (tokenId !== undefined) return await identity.callerOfToken(db, tokenId, now);
  if (runId === undefined) return await identity.callerOf(db, initiator, now);
  const run = await findRun(db, runId);
  // Its own token ended with it, but what it may do has not changed.
  return run && (await identity.callerOfProgram(db, programOf(run), now));
}
