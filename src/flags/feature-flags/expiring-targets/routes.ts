// Routes of the expiring targets of a flag.
import { Type, type Static } from '../../../kernel/schema/schema.ts';
import { expiringRoutes } from '../../expiring-targets/routes.ts';
import { openEnvironment, unknownThing } from '../../find-project.ts';
import { environmentalResource } from '../../resources.ts';
import { requireFlagApproval } from '../change/permissions.ts';
import { VariationId } from '../change/instructions/parameters.ts';
import { findFlag, lockFlag } from '../store.ts';
import { isTargetedIn } from './removed-targets.ts';

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
