// Removes targets of flags when their time has come, as the program itself.
import type { DueHandler } from '../../../kernel/due-store.ts';
import type { Kernel } from '../../../kernel/kernel.ts';
import { expireWith } from '../../expiring-targets/expire.ts';
import { expiryWork } from '../../expiring-targets/store.ts';
import { findProject } from '../../projects/store.ts';
import { changeFlag } from '../change/change-flag.ts';
import { findFlag, findKeys } from '../store.ts';

export function expiryHandlers(kernel: Kernel): Record<string, DueHandler> {
  return {
    [expiryWork('flag')]: expireWith(kernel, async (on, target) => {
      const { environmentId, resourceId, place, contextKind, contextKey } = target;
      const keys = await findKeys(on.db, resourceId, environmentId);
      const project = keys && (await findProject(on.db, keys.project));
      if (keys === undefined || project === undefined) return;
      const found = await findFlag(on.db, project.id, keys.flag, [keys.environment]);
      // The variation may be gone, and all its targets with it.
      if (!found?.flag.variations.some(({ _id }) => _id === place)) return;
      const instruction = { kind: 'removeTargets', variationId: place, contextKind, values: [contextKey] };
      const patch = {
        kind: 'semantic' as const,
        environmentKey: keys.environment,
        instructions: [instruction],
        comment: `The target ${contextKind} "${contextKey}" has expired.`,
      };
      await changeFlag(
        on,
        { project, flagKey: keys.flag },
        { patch, ignoreConflicts: true, approvedIn: keys.environment },
      );
    }),
  };
}
