// Pull requests follow the repository of their branch to its new owner: lists by `owner:branch` find them there.
import type { Kernel } from '../../kernel/kernel.ts';
import { lockRepository } from '../repositories/store.ts';
import { listSomeHeads, updateHeadOwner, type TransferredHead } from './store-heads.ts';

export async function moveHeads({ db }: Kernel, number: number, signal: AbortSignal): Promise<void> {
  let after: TransferredHead | undefined;
  do {
    const heads = await listSomeHeads(db, number, after);
    const byBase = Map.groupBy(heads, ({ repositoryNumber }) => repositoryNumber);
    for (const [base, some] of byBase) {
      signal.throwIfAborted();
      await db.transaction().execute(async (tx) => {
        // Whoever changes a pull request has locked the repository, and writes its whole row.
        if ((await lockRepository(tx, base)) !== undefined) await updateHeadOwner(tx, number, some);
      });
    }
    after = heads.at(-1);
  } while (after !== undefined);
}
