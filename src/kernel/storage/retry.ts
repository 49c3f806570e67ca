// Retries work that failed because of concurrent changes to the same rows, for both engines and in one place. ADR 0031.
import { setTimeout as delay } from 'node:timers/promises';
import { Kysely, type TransactionBuilder } from 'kysely';
import { Failure } from '../failure.ts';
import { withoutTurns } from './one-connection.ts';
import type { Tables } from './tables.ts';

/** After so many attempts the caller gets the conflict. */
const ATTEMPTS = 8;
const MAX_BACKOFF_MS = 50;

/** For a write that came between reading and writing: the whole work, reads included, can be retried. */
export function contested(kind: string): Failure {
  const message = `Someone else changed the ${kind} at the same time. Read it again, and try again.`;
  return new Failure('conflict', message, { isContested: true });
}

/** `work` runs up to eight times: it must only change the database, and repeat the reads that it depends on. */
export async function retryContested<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isContested(error)) throw error;
      if (attempt === ATTEMPTS) throw asConflict(error);
    }
    // Random, because transactions that collided would collide again after equal delays.
    await delay(Math.random() * Math.min(2 ** attempt, MAX_BACKOFF_MS));
  }
}

export function isContested(error: unknown): error is Failure {
  return error instanceof Failure && error.details.isContested === true;
}

/** A deadlock is a conflict between callers, not a fault of the server. */
function asConflict(error: Failure): Failure {
  if (error.kind === 'conflict') return error;
  return new Failure('conflict', 'Others keep changing the same things. Try again.', { cause: error });
}

/** The database of an engine. Runs a contested transaction again, so its callback may be called more than once. */
export class RetryingKysely extends Kysely<Tables> {
  override transaction(): TransactionBuilder<Tables> {
    const builder = super.transaction();
    const execute = builder.execute.bind(builder);
    builder.execute = (work) => retryContested(() => execute(async (tx) => work(await withoutTurns(tx))));
    return builder;
  }
}
