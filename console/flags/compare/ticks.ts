// Which parts of which flags are ticked.

/** By the key of the flag; no list is empty. */
export type Ticks = ReadonlyMap<string, readonly string[]>;

export function setTicks(ticks: Ticks, flag: string, parts: readonly string[]): Ticks {
  const next = new Map(ticks);
  if (parts.length === 0) next.delete(flag);
  else next.set(flag, parts);
  return next;
}

export function countTicks(ticks: Ticks): number {
  return [...ticks.values()].reduce((sum, parts) => sum + parts.length, 0);
}
