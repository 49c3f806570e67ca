// Bounds the windows of callers without a credential: where there are very many, new ones in crowded networks share a window. ADR 0064.
import { isNetwork, networkAround } from './client-network.ts';

/** With fewer windows than half of this, in all categories together, every network has its own; one takes about 400 bytes. */
const MAX_NETWORKS = 50_000;

/** Above that, a network is crowded with as many windows in it: a /48 or an IPv4 /24, a /32 or a /16. */
const CROWDS = [
  { groups: 3, windows: 64 },
  { groups: 2, windows: 1024 },
] as const;

/**
 * An attacker with very many addresses has them in few wide networks. Those share a window there, while callers elsewhere have
 * their own. Windows that are open stay, so nobody loses what is left of a budget.
 */
export class NetworkWindows {
  readonly #max: number;
  /** The number of windows in each network that may become crowded. */
  readonly #crowds = new Map<string, number>();
  #size = 0;

  constructor(max = MAX_NETWORKS) {
    this.#max = max;
  }

  get size(): number {
    return this.#size;
  }

  /** Whose window a caller gets who has none: its own, or that of a network around it. */
  holderFor(who: string): string {
    if (this.#size * 2 < this.#max || isShared(who)) return who;
    // There are at most 65,792 networks of one group, so that the number has a bound whatever the addresses are.
    if (this.#size >= this.#max * 2) return networkAround(who, 1);
    if (this.#size >= this.#max) return networkAround(who, 2);
    // The wider one first: if that is crowded, there may be many narrow ones in it.
    for (const { groups, windows } of CROWDS.toReversed()) {
      const around = networkAround(who, groups);
      if ((this.#crowds.get(around) ?? 0) >= windows) return around;
    }
    return who;
  }

  add(who: string): void {
    this.#count(who, 1);
  }

  delete(who: string): void {
    this.#count(who, -1);
  }

  #count(who: string, change: 1 | -1): void {
    if (!isNetwork(who)) return;
    this.#size += change;
    if (isShared(who)) return;
    for (const { groups } of CROWDS) {
      const around = networkAround(who, groups);
      const windows = (this.#crowds.get(around) ?? 0) + change;
      if (windows === 0) this.#crowds.delete(around);
      else this.#crowds.set(around, windows);
    }
  }
}

/** Whether it is a network around those of callers. */
function isShared(who: string): boolean {
  return who.endsWith('*');
}
