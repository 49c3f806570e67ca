// Takes up what is pending when its time has come, exactly once; what can never be done is given up.
import { finish, type Due, type Handler } from '../../kernel/due.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { findHeld, type Find } from './find-place.ts';
import type { Place, Whereabouts } from './place.ts';

export interface TakingUp<Thing extends Whereabouts> {
  find: Find<Thing>;
  /** Else someone has settled it in another way. */
  isWaiting(thing: Thing): boolean;
  make(tx: Db, thing: Thing, place: Place): Promise<void>;
  giveUp(tx: Db, thing: Thing, place: Place, failure: Failure): Promise<void>;
}

/** For work whose payload is the id of the thing. */
export function takingUp<Thing extends Whereabouts>(
  { db, engine }: Kernel,
  { find, isWaiting, make, giveUp }: TakingUp<Thing>,
): Handler {
  /** The work is settled in the transaction of what is done, so that both happen or neither. */
  const take = (due: Due, run: TakingUp<Thing>['make']): Promise<void> =>
    db.transaction().execute(async (tx) => {
      const held = await findHeld(tx, find, due.payload, engine);
      if (!(await finish(tx, due))) throw new Error('The work is no longer ours.');
      if (held !== undefined && isWaiting(held.thing)) await run(tx, held.thing, held.place);
    });
  return async (due) => {
    try {
      await take(due, make);
    } catch (error) {
      if (!isLasting(error, due)) throw error;
      await take(due, (tx, thing, place) => giveUp(tx, thing, place, error));
    }
  };
}

const LASTING: ReadonlySet<string> = new Set([
  'malformed',
  'invalid',
  'denied',
  'forbidden',
  'not-found',
  'wrong-method',
  'unprocessable',
]);

/** Someone else's write may come in between once, or another flag may stand in the way for good. */
const MOST_CONFLICTS = 3;

/** Whether it would be no better later. */
function isLasting(error: unknown, { attempts }: Due): error is Failure {
  if (!(error instanceof Failure)) return false;
  return LASTING.has(error.kind) || (error.kind === 'conflict' && attempts >= MOST_CONFLICTS);
}
