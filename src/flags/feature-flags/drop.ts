// Deleting a flag, which no other may need.
import type { Engine } from '../../kernel/storage/engine.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { recordChange } from '../change.ts';
import { dropExpiringTargets } from '../expiring-targets/store.ts';
import type { Draft } from './draft.ts';
import { checkUnneeded } from './relations.ts';
import type { FlagActor } from './scene.ts';
import { deleteFlag } from './writes.ts';

/** In the transaction of the change that was drafted. */
export async function removeFlag(engine: Engine, tx: Db, actor: FlagActor, draft: Draft): Promise<void> {
  const { before: flag, shown, accesses, rewriting } = draft;
  const { comment, update, dryRun = false } = rewriting;
  await checkUnneeded(engine, tx, flag);
  if (dryRun) return;
  await deleteFlag(tx, flag);
  await dropExpiringTargets(tx, flag.id);
  await recordChange(tx, actor, {
    accesses: [accesses.find(({ action }) => action === 'deleteFlag')!],
    kind: 'flag',
    name: flag.name,
    verb: 'deleted the flag',
    before: shown,
    comment,
    ...(update !== undefined && { update }),
  });
}
