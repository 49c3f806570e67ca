// Whose permissions a webhook has when it starts a run: those of the token, session or run that saved it last.
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import { recordedAs } from '../../kernel/identity/identity.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { programOf } from '../runs/run-tokens.ts';
import { findRun } from '../runs/store.ts';
import type { WebhookMaker } from './model.ts';

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
