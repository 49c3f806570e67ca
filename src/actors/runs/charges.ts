// Charges runs whose Actor is paid by event: what events cost, how many of them the budget covers, and the abort of a run that is over it.
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { ActorPricing } from '../actors/pricing.ts';
import { isFinished } from '../jobs/job.ts';
import type { Run, RunOptions } from './model.ts';
import { abortRun } from './change-run.ts';
import { lockRun, updateRun } from './store.ts';

/** The caller holds the row of the run. Returns whether the run has to be aborted, which `abortOverBudget` does. */
export async function chargeRun(tx: Db, run: Run, event: string, count: number): Promise<boolean> {
  const { chargedEvents, isOverBudget } = chargeFor(run, event, count);
  await updateRun(tx, run.id, { chargedEvents });
  return isOverBudget && run.status !== 'ABORTING';
}

/**
 * Stores items of a run's default dataset and charges the run for them: both or neither. The row of the run is locked first,
 * so that pushes of many clients are charged one after another.
 */
export async function storeCharged(
  kernel: Kernel,
  { runId, count, now }: { runId: string; count: number; now: number },
  store: (tx: Db) => Promise<void>,
): Promise<void> {
  const isOverBudget = await kernel.db.transaction().execute(async (tx) => {
    const run = await lockRun(tx, runId);
    await store(tx);
    // What comes after its end is no result of the run.
    return run !== undefined && !isFinished(run.status) && (await chargeRun(tx, run, ITEM_EVENT, count));
  });
  if (isOverBudget) await abortOverBudget(kernel, runId, now);
}

/**
 * After the transaction that charges, because a job is locked before its run. It fails no call, as what is charged for is
 * stored: the next event that the budget does not cover aborts the run.
 */
export async function abortOverBudget(kernel: Kernel, runId: string, now: number): Promise<void> {
  const why = ({ options }: Run) =>
    `Actor run was aborted because it reached its maximum cost of $${options.maxTotalChargeUsd}`;
  try {
    await abortRun(kernel, runId, true, now, why);
  } catch (error) {
    kernel.log.warn({ err: error, run: runId }, 'cannot abort a run that is over its budget');
  }
}

/** Charged by the server alone: one for each gigabyte when the run starts, and one for each item of its default dataset. */
const START_EVENT = 'apify-actor-start';
export const ITEM_EVENT = 'apify-default-dataset-item';

const GIGABYTE_MBYTES = 1024;
/** For errors of floating-point numbers, so that three events of $0.10 fit into $0.30. */
const TOLERANCE = 1e-6;

type Events = NonNullable<ActorPricing['pricingPerEvent']>['actorChargeEvents'];

/** By name; undefined where the Actor is not paid by event. */
export function chargeEventsOf(pricing: ActorPricing | undefined): Events | undefined {
  return pricing?.pricingModel === 'PAY_PER_EVENT'
    ? (pricing.pricingPerEvent?.actorChargeEvents ?? {})
    : undefined;
}

export function hasPrice(pricing: ActorPricing | undefined, event: string): boolean {
  const events = chargeEventsOf(pricing);
  return events !== undefined && Object.hasOwn(events, event);
}

type ChargedRun = Pick<Run, 'pricing' | 'chargedEvents' | 'options'>;

interface Charge {
  chargedEvents: Run['chargedEvents'];
  /** Whether the budget did not cover all of it. The rest is not charged. */
  isOverBudget: boolean;
}

function chargeFor(run: ChargedRun, event: string, count: number): Charge {
  const counts = new Map(Object.entries(run.chargedEvents));
  const covered = Math.min(count, coveredCount(run, event));
  counts.set(event, (counts.get(event) ?? 0) + covered);
  return { chargedEvents: Object.fromEntries(counts), isOverBudget: covered < count };
}

function coveredCount({ pricing, chargedEvents, options }: ChargedRun, event: string): number {
  const { maxTotalChargeUsd } = options;
  const prices = new Map(
    Object.entries(chargeEventsOf(pricing) ?? {}).map(([name, { eventPriceUsd }]) => [
      name,
      eventPriceUsd ?? 0,
    ]),
  );
  const price = prices.get(event) ?? 0;
  if (maxTotalChargeUsd === null || price === 0) return Infinity;
  const spent = Object.entries(chargedEvents).reduce(
    (sum, [name, count]) => sum + count * (prices.get(name) ?? 0),
    0,
  );
  return Math.max(0, Math.floor((maxTotalChargeUsd - spent) / price + TOLERANCE));
}

/** The prices of a run that starts now, and what it is charged for that. Throws where its budget does not cover it. */
export function priceStart(
  pricings: readonly ActorPricing[] | null | undefined,
  options: RunOptions,
  now: number,
): Pick<Run, 'pricing' | 'chargedEvents'> {
  const pricing = findPricing(pricings, now);
  const priced = { ...(pricing && { pricing }), options, chargedEvents: {} };
  return { ...(pricing && { pricing }), chargedEvents: chargeForStart(priced) };
}

/** Those that are in force: the newest that have begun. */
function findPricing(
  pricings: readonly ActorPricing[] | null | undefined,
  now: number,
): ActorPricing | undefined {
  const beginOf = ({ startedAt }: ActorPricing) => (startedAt == null ? 0 : Date.parse(startedAt));
  return (pricings ?? [])
    .filter((pricing) => beginOf(pricing) <= now)
    .toSorted((one, other) => beginOf(one) - beginOf(other))
    .at(-1);
}

/** The counts of a run that starts, or starts again. Throws where its budget does not cover that. */
export function chargeForStart(run: ChargedRun): Run['chargedEvents'] {
  const { pricing, options } = run;
  const events = chargeEventsOf(pricing);
  if (events === undefined) return run.chargedEvents;
  const { maxTotalChargeUsd } = options;
  const minimum = pricing?.minimalMaxTotalChargeUsd ?? 0;
  if (maxTotalChargeUsd !== null && maxTotalChargeUsd < minimum)
    throw belowMinimum(`The Actor needs a maxTotalChargeUsd of at least ${minimum}.`);
  const none = Object.keys(events).map((name): [string, number] => [name, 0]);
  const chargedEvents = Object.fromEntries([...none, ...Object.entries(run.chargedEvents)]);
  if (!hasPrice(pricing, START_EVENT)) return chargedEvents;
  const count = Math.max(1, Math.ceil(options.memoryMbytes / GIGABYTE_MBYTES));
  const charge = chargeFor({ ...run, chargedEvents }, START_EVENT, count);
  if (charge.isOverBudget)
    throw belowMinimum(
      `The maxTotalChargeUsd of ${maxTotalChargeUsd} does not cover the start of the run. Give it a larger one.`,
    );
  return charge.chargedEvents;
}

function belowMinimum(message: string): Failure {
  return new Failure('invalid', message, { code: 'max-total-charge-usd-below-minimum' });
}
