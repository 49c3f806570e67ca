// Identifiers: 24 hex characters for resources, as the flag clients expect, and UUIDs for calls.
import { randomBytes, randomUUID } from 'node:crypto';

/** An id for a stored resource: four bytes of time, so that new ids are adjacent in an index, then random bytes. */
export function newId(now: number): string {
  const seconds = Math.floor(now / 1000);
  return (seconds % 0x1_0000_0000).toString(16).padStart(8, '0') + randomBytes(8).toString('hex');
}

export const newCallId: () => string = randomUUID;
