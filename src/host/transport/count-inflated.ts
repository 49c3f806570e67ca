// Counts how many bytes the pushes to a repository or gist have brought together, inflated: each push is bounded by itself,
// and many small ones could still stand for terabytes.
import { join } from 'node:path';
import { Failure } from '../../kernel/failure.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { measureInflatedBytes, measurePackBytes } from '../git/inflated-bytes.ts';
import { maxInflatedBytes, type InflationLimits } from '../git/received-pack.ts';
import type { GitTarget } from '../git/git-target.ts';
import {
  addInflatedBytes,
  findInflatedBytes,
  replaceInflatedBytes,
  type CountedRow,
} from './store-inflated.ts';

const MAX_TRIES = 5;

export interface CountedPush {
  row: CountedRow;
  target: GitTarget & { quarantine: string };
  /** Of the push. */
  bytes: number;
}

/**
 * The count may be too high: it has objects that were pushed twice, or are deleted, and pushes that were refused later.
 * So the repository is measured before a push is refused.
 * @throws {Failure} where the repository would have more than it may.
 */
export async function countInflated(db: Db, push: CountedPush, limits: InflationLimits): Promise<void> {
  const { row, bytes, target } = push;
  const { ratio, repositoryBytes } = limits;
  // Nearly always enough, so that no file is looked at.
  if (bytes === 0 || (await addInflatedBytes(db, row, bytes, repositoryBytes))) return;
  const { quarantine, ...repository } = target;
  const packed =
    (await measurePackBytes(join(target.folder, 'objects'))) + (await measurePackBytes(quarantine));
  const max = maxInflatedBytes({ ratio, leastBytes: repositoryBytes }, packed);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    if (await addInflatedBytes(db, row, bytes, max)) return;
    const counted = await findInflatedBytes(db, row);
    // It was deleted, which is found out later.
    if (counted === undefined) return;
    const measured = await measureInflatedBytes(repository);
    if (!(await replaceInflatedBytes(db, row, counted, measured))) continue;
    if (measured + bytes > max)
      throw new Failure(
        'too-large',
        `The objects of all pushes to this repository have more than ${max} bytes when they are inflated, which is too much for its size. Delete branches with large files, and push again when their objects have expired, or ask the administrator for more.`,
      );
  }
  throw new Failure('unavailable', 'Too many pushes to the repository at once. Try again later.');
}
