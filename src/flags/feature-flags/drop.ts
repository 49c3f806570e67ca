// Deleting a flag, which no other may need.
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { recordChange, type Change } from '../change.ts';
import { dropExpiringTargets } from '../expiring-targets/store.ts';
import { checkUnneeded } from './relations.ts';
import { toDetail } from './representation.ts';
import { demandNeeds, readScene, surroundingsOf } from './scene.ts';
import type { FlagActor, FlagPlace, Scene } from './scene.ts';
import { lockFlag } from './store.ts';
import { deleteFlag } from './writes.ts';

export async function dropFlag(kernel: Kernel, tx: Db, actor: FlagActor, at: FlagPlace): Promise<void> {
  if (kernel.engine.kind === 'postgres') await lockFlag(tx, at.project.id, at.flagKey);
  await removeFlag(kernel, tx, actor, await readScene(tx, at));
}

/** Asks for the permission, too. */
export async function removeFlag(
  { engine }: Kernel,
  tx: Db,
  actor: FlagActor,
  scene: Scene,
  { comment, update }: Pick<Change, 'comment' | 'update'> = {},
): Promise<void> {
  const { project, found } = scene;
  const [access] = demandNeeds(actor, scene, [{ action: 'deleteFlag' }]);
  await checkUnneeded(engine, tx, found.flag);
  await deleteFlag(tx, found.flag);
  await dropExpiringTargets(tx, found.flag.id);
  await recordChange(tx, actor, {
    accesses: [access!],
    kind: 'flag',
    name: found.flag.name,
    verb: 'deleted the flag',
    before: toDetail(found.flag, surroundingsOf(project, found)),
    comment,
    ...(update !== undefined && { update }),
  });
}
