// Expiry dates of a segment's targets: the routes that set them, and the work that removes expired targets on behalf of the server.
import type { Instruction } from '../patch/patch.ts';
import { OneOf, Type, type Static } from '../../kernel/schema/schema.ts';
import { expiringRoutes } from '../expiring-targets/routes.ts';
import { openEnvironment, unknownThing } from '../find-project.ts';
import { environmentalResource } from '../policy/resources.ts';
import { requireSegmentApproval } from './approval.ts';
import { expirationOwnerOf, targetLookup } from './expiring-targets.ts';
import { findSegment, lockSegment } from './store.ts';
import type { DueHandler } from '../../kernel/jobs/due-store.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { expireWith } from '../expiring-targets/expire.ts';
import { expiryWork } from '../expiring-targets/store.ts';
import { changeSegment, findSegmentRef } from './change-segment.ts';
import { type Segment, type TargetType, removeTargets } from './segment.ts';

const params = Type.Object({
  projectKey: Type.String(),
  segmentKey: Type.String(),
  environmentKey: Type.String(),
});

export const segmentExpiringRoutes = expiringRoutes({
  kind: 'segment',
  pathOf: (telling) => `/segments/{projectKey}/{segmentKey}/${telling}/{environmentKey}`,
  params,
  placeName: 'targetType',
  Place: OneOf(['included', 'excluded']),
  ids: {
    'expiring-targets': ['getExpiringTargetsForSegment', 'patchExpiringTargetsForSegment'],
    'expiring-user-targets': ['getExpiringUserTargetsForSegment', 'patchExpiringUserTargetsForSegment'],
  },
  async open(call, db, hold) {
    const { projectKey, segmentKey: key, environmentKey } = call.params as Static<typeof params>;
    const { project, environment } = await openEnvironment(call, db, projectKey, environmentKey);
    const segment =
      hold === undefined
        ? await findSegment(db, environment.id, key)
        : await lockSegment(db, environment.id, key);
    if (segment === undefined) throw unknownThing('segment', key);
    const resource = environmentalResource(project, environment, 'segment', segment);
    return {
      name: segment.name,
      environment,
      owner: expirationOwnerOf(segment),
      resource,
      names: { kind: 'segment', projectKey, environmentKey, key },
      requireApproval: () => requireSegmentApproval(call, environment, segment, resource),
      findTargets: (instructions) => targetLookup(db, segment, keysIn(instructions)),
    };
  },
});

/** All values that could be context keys. */
function keysIn(instructions: readonly Instruction[]): string[] {
  return instructions
    .flatMap(({ contextKey, userKey }) => [contextKey, userKey])
    .filter((key): key is string => typeof key === 'string' && key.length <= 512 && !key.includes('\0'));
}

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
