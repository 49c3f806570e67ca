// Deleting a flag, which no other may need.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { dropExpiringTargets } from '../expiring-targets/store.ts';
import type { Draft } from './change/draft-change.ts';
import { checkUnneeded } from './prerequisites.ts';
import { deleteFlag } from './store-writes.ts';

export async function removeFlag(on: ChangeTransaction, draft: Draft): Promise<void> {
  const { before: flag, shown, accesses, rewriting } = draft;
  const { comment, update, dryRun = false } = rewriting;
  await checkUnneeded(on.db, flag);
  if (dryRun) return;
  await deleteFlag(on.db, flag);
  await dropExpiringTargets(on.db, flag.id);
  on.record({
    accesses: [accesses.find(({ action }) => action === 'deleteFlag')!],
    kind: 'flag',
    name: flag.name,
    verb: 'deleted the flag',
    before: shown,
    comment,
    ...(update !== undefined && { update }),
  });
}
