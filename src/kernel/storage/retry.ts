// Retries what failed only because somebody else changed the same things at the same time, for both engines and in one place.
import { setTimeout as delay } from 'node:timers/promises';
import { Kysely, type TransactionBuilder } from 'kysely';
import { Failure } from '../failure.ts';
import type { Tables } from './tables.ts';

/** What is still contested then is told to the caller. */
const ATTEMPTS = 8;
const MAX_BACKOFF_MS = 50;

/** Somebody else's write came between reading and writing. Doing all of it again, from the reading on, may go well. */
export function contested(kind: string): Failure {
  const message = `Someone else changed the ${kind} at the same time. Read it again, and try again.`;
  return new Failure('conflict', message, { isContested: true });
}

/** `work` runs up to eight times, so it must change nothing but the database, and read again what it decides by. */
export async function retryContested<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isContested(error)) throw error;
      if (attempt === ATTEMPTS) throw asConflict(error);
    }
    // Those who met once would meet again if all of them waited for as long.
    await delay(Math.random() * Math.min(2 ** attempt, MAX_BACKOFF_MS));
  }
}

export function isContested(error: unknown): error is Failure {
  return error instanceof Failure && error.details.isContested === true;
}

/** A deadlock is not the server's trouble, but the callers' with each other. */
function asConflict(error: Failure): Failure {
  if (error.kind === 'conflict') return error;
  return new Failure('conflict', 'Others keep changing the same things. Try again.', { cause: error });
}

/** The database of an engine. A transaction is run again where it was contested: its work may be called more than once. */
export class RetryingKysely extends Kysely<Tables> {
  override transaction(): TransactionBuilder<Tables> {
    const builder = super.transaction();
    const execute = builder.execute.bind(builder);
    builder.execute = (work) => retryContested(() => execute(work));
    return builder;
  }
}
