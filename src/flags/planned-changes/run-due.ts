// Runs planned changes that are due, exactly once, and marks those as failed that can never be applied.
import { systemActor } from '../../kernel/identity/actor.ts';
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { finish, type Due, type DueHandler } from '../../kernel/jobs/due-store.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { findLocked, type FindById } from './find-flag-in-environment.ts';
import type { FlagInEnvironment, FlagInEnvironmentRef } from './flag-in-environment.ts';

export interface DueSteps<Item extends FlagInEnvironmentRef> {
  find: FindById<Item>;
  /** False when a caller has applied, changed or deleted it meanwhile. */
  isWaiting(item: Item): boolean;
  apply(tx: ChangeTransaction, item: Item, target: FlagInEnvironment): Promise<void>;
  fail(tx: ChangeTransaction, item: Item, target: FlagInEnvironment, failure: Failure): Promise<void>;
}

/** For due work whose payload is the id of the planned change. */
export function toDueHandler<Item extends FlagInEnvironmentRef>(
  { changes, clock }: Kernel,
  { find, isWaiting, apply, fail }: DueSteps<Item>,
): DueHandler {
  /** Due work is finished in the transaction of the change, so that both happen or neither. */
  const run = (due: Due, step: DueSteps<Item>['apply']): Promise<void> =>
    changes.run(systemActor({ now: clock.now() }), async (tx) => {
      const { db } = tx;
      const held = await findLocked(db, find, due.payload);
      if (!(await finish(db, due))) throw new Error('The work is no longer ours.');
      if (held !== undefined && isWaiting(held.item)) await step(tx, held.item, held.target);
    });
  return async (due) => {
    try {
      await run(due, apply);
    } catch (error) {
      if (!isPermanent(error, due)) throw error;
      await run(due, (tx, item, target) => fail(tx, item, target, error));
    }
  };
}

const PERMANENT: ReadonlySet<string> = new Set([
  'malformed',
  'invalid',
  'denied',
  'forbidden',
  'approval-required',
  'not-found',
  'bad-patch',
]);

/** A conflict may come from a concurrent write, which a retry solves, or from another flag, which no retry solves. */
const MAX_CONFLICTS = 3;

/** Whether a retry could not succeed. */
function isPermanent(error: unknown, { attempts }: Due): error is Failure {
  if (!(error instanceof Failure)) return false;
  return PERMANENT.has(error.kind) || (error.kind === 'conflict' && attempts >= MAX_CONFLICTS);
}
