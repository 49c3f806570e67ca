// Removes the expired targets of flags, as the server itself and not as a caller.
import type { DueHandler } from '../../../kernel/jobs/due-store.ts';
import type { Kernel } from '../../../kernel/kernel.ts';
import { expireWith } from '../../expiring-targets/expire.ts';
import { expiryWork } from '../../expiring-targets/store.ts';
import { applyPlan } from '../../planned-changes/apply-plan.ts';
import { lockFlagInEnvironment } from '../../planned-changes/find-flag-in-environment.ts';

export function expiryHandlers(kernel: Kernel): Record<string, DueHandler> {
  return {
    [expiryWork('flag')]: expireWith(
      kernel,
      (tx, { resourceId: flagId, environmentId }) => lockFlagInEnvironment(tx, { flagId, environmentId }),
      async (tx, { place, contextKind, contextKey }, target) => {
        // The variation may have been removed with all its targets.
        if (!target.flag.variations.some(({ _id }) => _id === place)) return;
        const instruction = { kind: 'removeTargets', variationId: place, contextKind, values: [contextKey] };
        await applyPlan(
          tx,
          target,
          { instructions: [instruction] },
          {
            comment: `The target ${contextKind} "${contextKey}" has expired.`,
            approvedIn: target.environment.key,
          },
        );
      },
    ),
  };
}
