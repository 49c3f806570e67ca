// The fullest window of each member and category in an hour: it says whether another limit would have been enough. A call costs nothing more, and a refused one an addition. Every node knows the usage of all: the greatest number is taken.
import type { Db } from '../storage/tables.ts';
import { isNetwork } from './client-network.ts';
import { savePeaks, type LimitPeak } from './store-peaks.ts';
import { isSaved, type Window } from './window.ts';

const HOUR_MS = 60 * 60 * 1000;
/** Peaks that wait for the database, which is asked every second: about 2 MB. */
const MAX_WAITING = 10_000;

/**
 * Those of members alone: of single stores, scopes, programs and networks there would be too many, and windows of a second
 * end too often.
 */
export function isPeakKept({ category, who, seconds, used, refused }: Window): boolean {
  if (used + refused === 0 || !isSaved(seconds) || category.includes(':')) return false;
  return !isNetwork(who) && !who.includes('/') && who !== '*';
}

export class PeakCounter {
  #waiting = new Map<string, LimitPeak>();

  /** An ended window counts for the hour in which it began. */
  add({ category, who, seconds, used, refused, resetAt }: Window): void {
    const beganAt = resetAt - seconds * 1000;
    const peak = { who, category, hour: beganAt - (beganAt % HOUR_MS), most: used + refused };
    this.#keep(peak);
  }

  #keep(peak: LimitPeak): void {
    const key = `${peak.who} ${peak.category} ${peak.hour}`;
    const known = this.#waiting.get(key);
    if (known !== undefined) known.most = Math.max(known.most, peak.most);
    else if (this.#waiting.size < MAX_WAITING) this.#waiting.set(key, peak);
  }

  async save(db: Db): Promise<void> {
    if (this.#waiting.size === 0) return;
    const peaks = [...this.#waiting.values()];
    this.#waiting = new Map();
    try {
      await savePeaks(db, peaks);
    } catch (error) {
      for (const peak of peaks) this.#keep(peak);
      throw error;
    }
  }
}
