// Takes up what is pending when its time has come, exactly once; what can never be done is given up.
import { systemActor } from '../../kernel/change/actor.ts';
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { finish, type Due, type DueHandler } from '../../kernel/due-store.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { findHeld, type Find } from './find-flag-in-environment.ts';
import type { Place, Whereabouts } from './flag-in-environment.ts';

export interface TakingUp<Thing extends Whereabouts> {
  find: Find<Thing>;
  /** Else someone has settled it in another way. */
  isWaiting(thing: Thing): boolean;
  make(on: ChangeTransaction, thing: Thing, place: Place): Promise<void>;
  giveUp(on: ChangeTransaction, thing: Thing, place: Place, failure: Failure): Promise<void>;
}

/** For work whose payload is the id of the thing. */
export function takingUp<Thing extends Whereabouts>(
  { changes, clock }: Kernel,
  { find, isWaiting, make, giveUp }: TakingUp<Thing>,
): DueHandler {
  /** The work is settled in the transaction of what is done, so that both happen or neither. */
  const take = (due: Due, run: TakingUp<Thing>['make']): Promise<void> =>
    changes.run(systemActor({ now: clock.now() }), async (on) => {
      const { db: tx } = on;
      const held = await findHeld(tx, find, due.payload);
      if (!(await finish(tx, due))) throw new Error('The work is no longer ours.');
      if (held !== undefined && isWaiting(held.thing)) await run(on, held.thing, held.place);
    });
  return async (due) => {
    try {
      await take(due, make);
    } catch (error) {
      if (!isLasting(error, due)) throw error;
      await take(due, (on, thing, place) => giveUp(on, thing, place, error));
    }
  };
}

const LASTING: ReadonlySet<string> = new Set([
  'malformed',
  'invalid',
  'denied',
  'forbidden',
  'approval-required',
  'not-found',
  'bad-patch',
]);

/** Someone else's write may come in between once, or another flag may stand in the way for good. */
const MOST_CONFLICTS = 3;

/** Whether it would be no better later. */
function isLasting(error: unknown, { attempts }: Due): error is Failure {
  if (!(error instanceof Failure)) return false;
  return LASTING.has(error.kind) || (error.kind === 'conflict' && attempts >= MOST_CONFLICTS);
}
