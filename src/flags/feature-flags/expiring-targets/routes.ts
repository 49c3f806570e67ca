// Routes of the expiring targets of a flag, and the work that removes expired ones.
import { Type, type Static } from '../../../kernel/schema/schema.ts';
import { expiringRoutes } from '../../expiring-targets/routes.ts';
import { openEnvironment, unknownThing } from '../../find-project.ts';
import { environmentalResource } from '../../policy/resources.ts';
import { requireFlagApproval } from '../change/permissions.ts';
import { VariationId } from '../change/instructions/kind.ts';
import { findFlag, lockFlag } from '../store.ts';
import { isTargetedIn } from '../change/removed-targets.ts';
import type { DueHandler } from '../../../kernel/jobs/due-store.ts';
import type { Kernel } from '../../../kernel/kernel.ts';
import { expireWith } from '../../expiring-targets/expire.ts';
import { expiryWork } from '../../expiring-targets/store.ts';
import { applyPlan } from '../../planned-changes/apply-plan.ts';
import { lockFlagInEnvironment } from '../../planned-changes/find-flag-in-environment.ts';

const params = Type.Object({
  projectKey: Type.String(),
  featureFlagKey: Type.String(),
  environmentKey: Type.String(),
});

export const expiringTargetRoutes = expiringRoutes({
  kind: 'flag',
  pathOf: (telling) => `/flags/{projectKey}/{featureFlagKey}/${telling}/{environmentKey}`,
  params,
  placeName: 'variationId',
  Place: VariationId,
  ids: {
    'expiring-targets': ['getExpiringContextTargets', 'patchExpiringTargets'],
    'expiring-user-targets': ['getExpiringUserTargets', 'patchExpiringUserTargets'],
  },
  async open(call, db, hold) {
    const { projectKey, featureFlagKey: key, environmentKey } = call.params as Static<typeof params>;
    const { project, environment } = await openEnvironment(call, db, projectKey, environmentKey);
    if (hold !== undefined) await lockFlag(db, project.id, key);
    const { flag } = (await findFlag(db, project.id, key, [environmentKey])) ?? {};
    const config = flag?.environments[environmentKey];
    if (flag === undefined || config === undefined) throw unknownThing('flag', key);
    const resource = environmentalResource(project, environment, 'flag', flag);
    return {
      name: flag.name,
      environment,
      owner: { resourceKind: 'flag', resourceId: flag.id, environmentId: environment.id },
      resource,
      names: { kind: 'flag', projectKey, environmentKey, key },
      requireApproval: () => requireFlagApproval(call, environment, flag, resource),
      findTargets: () => isTargetedIn(flag, config),
    };
  },
});

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
