// Removes targets of flags when their time has come, as the program itself.
import type { Handler } from '../../../kernel/due.ts';
import type { Kernel } from '../../../kernel/kernel.ts';
import type { Db } from '../../../kernel/storage/tables.ts';
import { expireWith } from '../../expiring-targets/expire.ts';
import { expiryWork } from '../../expiring-targets/store.ts';
import { findProject } from '../../projects/store.ts';
import { changeFlag } from '../change.ts';
import { findFlag } from '../store.ts';

/** Nobody is asked: whoever set the date was. */
const program = { can: () => true, demand: () => {} };

export function expiryHandlers(kernel: Kernel): Record<string, Handler> {
  return {
    [expiryWork('flag')]: expireWith(kernel, async (tx, target, now) => {
      const { environmentId, resourceId, place, contextKind, contextKey } = target;
      const names = await findNames(tx, resourceId, environmentId);
      const project = names && (await findProject(tx, names.project));
      if (names === undefined || project === undefined) return;
      const found = await findFlag(tx, project.id, names.flag, [names.environment]);
      // The variation may be gone, and all its targets with it.
      if (!found?.flag.variations.some(({ _id }) => _id === place)) return;
      const instruction = { kind: 'removeTargets', variationId: place, contextKind, values: [contextKey] };
      const patch = {
        kind: 'semantic' as const,
        environmentKey: names.environment,
        instructions: [instruction],
        comment: `The target ${contextKind} "${contextKey}" has expired.`,
      };
      await changeFlag(
        kernel,
        tx,
        { now, ...program },
        { project, flagKey: names.flag },
        { patch, ignoreConflicts: true, bypass: 'approval' },
      );
    }),
  };
}

/** Undefined when the flag is gone. */
function findNames(tx: Db, flagId: string, environmentId: string) {
  return tx
    .selectFrom('flags')
    .innerJoin('projects', 'projects.id', 'flags.project_id')
    .innerJoin('environments', 'environments.project_id', 'flags.project_id')
    .where('flags.id', '=', flagId)
    .where('environments.id', '=', environmentId)
    .select(['flags.key as flag', 'projects.key as project', 'environments.key as environment'])
    .executeTakeFirst();
}
