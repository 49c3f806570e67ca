// Removes expired targets of segments, on behalf of the server.
import type { DueHandler } from '../../kernel/jobs/due-store.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { expireWith } from '../expiring-targets/expire.ts';
import { expiryWork } from '../expiring-targets/store.ts';
import { changeSegment } from './change-segment.ts';
import { findSegmentRef } from './find-segment-ref.ts';
import type { Segment, TargetType } from './segment.ts';
import { lockSegment } from './store.ts';
import { removeTargets } from './targets.ts';

export function segmentExpiryHandlers(kernel: Kernel): Record<string, DueHandler> {
  return {
    [expiryWork('segment')]: expireWith(
      kernel,
      async (tx, { resourceId }) => {
        const ref = await findSegmentRef(tx, resourceId);
        return ref && (await lockSegment(tx, ref.environment.id, ref.segmentKey)) && ref;
      },
      async (tx, { place, contextKind, contextKey }, segment) => {
        const type = place as TargetType;
        const edit = (before: Segment) =>
          before.unbounded
            ? { segment: before, steps: [{ does: 'remove' as const, type, values: [contextKey] }] }
            : { segment: removeTargets(before, type, contextKind, [contextKey]), steps: [] };
        const comment = `The target ${contextKind} "${contextKey}" has expired.`;
        await changeSegment(tx, segment, { edit, comment, isApproved: true });
      },
    ),
  };
}
