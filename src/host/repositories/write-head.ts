// Tells git which branch is the default: clones check it out.
import { schedule } from '../../kernel/jobs/due-store.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { setDefaultBranch } from '../git/update-refs.ts';
import type { Repository } from './repository.ts';

export const WRITE_HEAD = 'host.write-head';

/** In the transaction of the change. The work does nothing new where this process lives on to write the branch itself. */
export async function scheduleHead(tx: Db, number: number, now: number): Promise<void> {
  const work = { id: `${WRITE_HEAD}:${number}`, kind: WRITE_HEAD, payload: JSON.stringify({ number }) };
  await schedule(tx, { ...work, dueAt: now }, now, 'move');
}

export async function writeHead(
  { services: { git } }: Kernel,
  { number, defaultBranch }: Pick<Repository, 'number' | 'defaultBranch'>,
): Promise<void> {
  await setDefaultBranch(git.repository(number), defaultBranch);
}
