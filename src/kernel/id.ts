// Identifiers: 24 hex characters for resources, as the flag clients expect, and UUIDs for calls.
import { randomFillSync, randomUUID } from 'node:crypto';

/** An id for a stored resource: four bytes of time, so that new ids are adjacent in an index, then random bytes. */
export function newId(now: number): string {
  const seconds = Math.floor(now / 1000);
  return (seconds % 0x1_0000_0000).toString(16).padStart(8, '0') + takeRandom();
}

/** Random bytes for the next ids: asking the system for many costs about as much as for a few. */
const pool = Buffer.alloc(1024);
let taken = pool.length;

function takeRandom(): string {
  if (taken === pool.length) {
    randomFillSync(pool);
    taken = 0;
  }
  return pool.toString('hex', taken, (taken += 8));
}

export const newCallId: () => string = randomUUID;
