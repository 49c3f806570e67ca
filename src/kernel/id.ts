// Identifiers: 24 hex characters for things, as the flag clients expect, and UUIDs for calls.
import { randomBytes, randomUUID } from 'node:crypto';

/** A new id for a stored thing: four bytes of time, so that neighbours stay neighbours in an index, then randomness. */
export function newId(now: number): string {
  const seconds = Math.floor(now / 1000);
  return (seconds % 0x1_0000_0000).toString(16).padStart(8, '0') + randomBytes(8).toString('hex');
}

export const newCallId: () => string = randomUUID;
