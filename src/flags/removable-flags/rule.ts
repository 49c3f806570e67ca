// When a flag is ready to be removed from code: the rule, and the reason in words. ADR 0150.
import { WHOLE, type ConfigSummary } from '../feature-flags/model.ts';

const DAY = 24 * 60 * 60 * 1000;
/** Nothing about the flag has changed for this long. */
export const SETTLED_MS = 30 * DAY;

export interface RemovalFacts {
  isTemporary: boolean;
  createdAt: number;
  /** In any environment. */
  modifiedAt: number;
  /** When an SDK last asked for it, in any environment. */
  lastRequestedAt: number | undefined;
  /** Its configurations where it matters: in the critical environments, or in all where none is critical. */
  deciding: readonly { name: string; served: number | undefined }[];
  hasDependents: boolean;
  /** Whether a change is scheduled, or waits for approval. */
  isPlanned: boolean;
}

/**
 * A flag is ready to be removed when nothing about it has changed for thirty days, it serves one variation to everybody in every
 * critical environment, and the same one in all, no flag has it as a prerequisite, and no change of it is planned. A permanent
 * flag is meant to stay like this, so that it is ready only if no SDK has asked for it for as long. Returns the time since when
 * it is so; undefined where it is not.
 */
export function readyToRemoveSince(facts: RemovalFacts, now: number): number | undefined {
  const { isTemporary, createdAt, modifiedAt, lastRequestedAt, deciding, hasDependents, isPlanned } = facts;
  if (hasDependents || isPlanned || deciding.length === 0) return undefined;
  const [first, ...others] = deciding;
  if (first!.served === undefined || others.some(({ served }) => served !== first!.served)) return undefined;
  const settledAt = Math.max(createdAt, modifiedAt, isTemporary ? 0 : (lastRequestedAt ?? 0));
  return now - settledAt >= SETTLED_MS ? settledAt : undefined;
}

const MAX_NAMED = 3;

/** `served` is the value that everybody gets. */
export function describeRemoval(facts: RemovalFacts, since: number, served: string, now: number): string {
  const days = Math.floor((now - since) / DAY);
  const names = facts.deciding.slice(0, MAX_NAMED).map(({ name }) => name);
  const more = facts.deciding.length > MAX_NAMED ? ` and ${facts.deciding.length - MAX_NAMED} more` : '';
  const where = `${names.join(', ')}${more}`;
  return facts.isTemporary
    ? `Everybody in ${where} has been served ${served} for ${days} days, and no other flag depends on it.`
    : `No SDK has asked for it for ${days} days, and no other flag depends on it.`;
}

const NOTHING = -1;

/**
 * The index of the only variation that anybody is served by this configuration, by its summary; -1 for nothing, and undefined
 * where it depends on the context.
 */
export function onlyServed(isOn: boolean, { prerequisites, variations }: ConfigSummary): number | undefined {
  const used = Object.entries(variations).map(([index, summary]) => ({ index: Number(index), ...summary }));
  if (!isOn) return used.find(({ isOff }) => isOff === true)?.index ?? NOTHING;
  if (prerequisites > 0) return undefined;
  const served = used.filter(
    ({ rules, nullRules, targets, contextTargets, isFallthrough, rollout = 0 }) =>
      rules + nullRules + targets + contextTargets + rollout > 0 || isFallthrough === true,
  );
  const [only] = served;
  if (served.length !== 1 || only === undefined) return undefined;
  return only.isFallthrough === true || only.rollout === WHOLE ? only.index : undefined;
}
