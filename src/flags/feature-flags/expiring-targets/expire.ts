// Removes the expired targets of flags, as the server itself and not as a caller.
import type { DueHandler } from '../../../kernel/jobs/due-store.ts';
import type { Kernel } from '../../../kernel/kernel.ts';
import { expireWith } from '../../expiring-targets/expire.ts';
import { expiryWork } from '../../expiring-targets/store.ts';
import { findProject } from '../../projects/store.ts';
import { changeFlag } from '../change/change-flag.ts';
import { findFlag, findKeysOfIds } from '../store.ts';

export function expiryHandlers(kernel: Kernel): Record<string, DueHandler> {
  return {
    [expiryWork('flag')]: expireWith(kernel, async (tx, target) => {
      const { environmentId, resourceId, place, contextKind, contextKey } = target;
      const keys = await findKeysOfIds(tx.db, resourceId, environmentId);
      const project = keys && (await findProject(tx.db, keys.project));
      if (keys === undefined || project === undefined) return;
      const found = await findFlag(tx.db, project.id, keys.flag, [keys.environment]);
      // The variation may have been removed with all its targets.
      if (!found?.flag.variations.some(({ _id }) => _id === place)) return;
      const instruction = { kind: 'removeTargets', variationId: place, contextKind, values: [contextKey] };
      const patch = {
        kind: 'semantic' as const,
        environmentKey: keys.environment,
        instructions: [instruction],
        comment: `The target ${contextKind} "${contextKey}" has expired.`,
      };
      await changeFlag(
        tx,
        { project, flagKey: keys.flag },
        { patch, ignoreConflicts: true, approvedIn: keys.environment },
      );
    }),
  };
}
