// Executes changes that were planned for a time, exactly once: locks the target, checks that the change still waits, acts for its initiator, and records why one fails.
import type { Change } from '../../kernel/change/change.ts';
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { Failure } from '../../kernel/failure.ts';
import { actorOf, systemActor } from '../../kernel/identity/actor.ts';
import type { Initiator } from '../../kernel/identity/identity.ts';
import { finish, type Due, type DueHandler } from '../../kernel/jobs/due-store.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { findLocked, lockFlagInEnvironment, type FindById } from './find-flag-in-environment.ts';
import {
  type FlagInEnvironment,
  type FlagInEnvironmentRef,
  recordFlagChange,
} from './flag-in-environment.ts';
import { conflictOf, type Plan, type PlanConflict } from './plan.ts';

export interface DueSteps<Item, Target> {
  find: FindById<Item>;
  /** Finds and locks what the item changes; undefined when it is deleted. */
  lockTarget(tx: Db, item: Item): Promise<Target | undefined>;
  /** False when a caller has applied, changed or deleted it meanwhile. */
  isWaiting(item: Item, now: number): boolean;
  apply(tx: ChangeTransaction, item: Item, target: Target): Promise<void>;
  /** After an error that no retry solves. Without this step, every error is retried. */
  fail?(tx: ChangeTransaction, item: Item, target: Target, failure: Failure): Promise<void>;
}

/** For due work whose payload is the id of the item. */
export function executeDue<Item, Target>(
  { changes, clock }: Pick<Kernel, 'changes' | 'clock'>,
  { find, lockTarget, isWaiting, apply, fail }: DueSteps<Item, Target>,
): DueHandler {
  /** Due work is finished in the transaction of the change, so that both happen or neither. */
  const run = (due: Due, step: DueSteps<Item, Target>['apply']): Promise<void> =>
    changes.run(systemActor({ now: clock.now() }), async (tx) => {
      const held = await findLocked(tx.db, due.payload, find, lockTarget);
      if (!(await finish(tx.db, due))) throw new Error('The work is no longer ours.');
      if (held !== undefined && isWaiting(held.item, tx.actor.now)) await step(tx, held.item, held.target);
    });
  return async (due) => {
    try {
      await run(due, apply);
    } catch (error) {
      if (fail === undefined || !isPermanent(error, due)) throw error;
      await run(due, (tx, item, target) => fail(tx, item, target, error));
    }
  };
}

/** A scheduled change or an approval request. */
interface PlannedItem extends FlagInEnvironmentRef {
  status: string;
  /** Why it failed. */
  conflicts: PlanConflict[];
  version: number;
}

export interface PlannedKind<Item extends PlannedItem> {
  find: FindById<Item>;
  isWaiting(item: Item): boolean;
  planOf(item: Item): Plan;
  /** The member or token in whose name the plan is applied. */
  initiatorOf(item: Item): Initiator;
  /** The reason of the failure when they are gone. */
  initiatorGone: string;
  /** The transaction acts with the permissions that the initiator has now. */
  apply(tx: ChangeTransaction, item: Item, target: FlagInEnvironment): Promise<void>;
  update(tx: Db, before: Item, after: Item, now: number): Promise<void>;
  /** The audit entry of a failure. */
  action: string;
  failureOf(item: Item): Pick<Change, 'verb' | 'comment'>;
  show(item: Item, target: FlagInEnvironment): unknown;
}

/** A plan that can never be applied is stored as failed, with the reason. */
export function executePlanned<Item extends PlannedItem>(
  kernel: Kernel,
  kind: PlannedKind<Item>,
): DueHandler {
  const findInitiator = (tx: ChangeTransaction, item: Item) =>
    kernel.identity.callerOf(tx.db, kind.initiatorOf(item), tx.actor.now);
  return executeDue<Item, FlagInEnvironment>(kernel, {
    find: kind.find,
    lockTarget: lockFlagInEnvironment,
    isWaiting: kind.isWaiting,
    async apply(tx, item, target) {
      const caller = await findInitiator(tx, item);
      if (caller === undefined) throw new Failure('denied', kind.initiatorGone);
      await kind.apply(tx.as(actorOf(caller, tx.actor.now)), item, target);
    },
    async fail(tx, before, target, failure) {
      const { now } = tx.actor;
      const caller = await findInitiator(tx, before);
      const after: Item = {
        ...before,
        status: 'failed',
        conflicts: [conflictOf(failure, kind.planOf(before).instructions)],
        version: before.version + 1,
      };
      await kind.update(tx.db, before, after, now);
      recordFlagChange(tx.as(systemActor({ now, ...(caller && { caller }) })), target, kind.action, {
        ...kind.failureOf(before),
        description: failure.message,
        before: kind.show(before, target),
        after: kind.show(after, target),
      });
    },
  });
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
