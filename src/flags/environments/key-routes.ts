// Resets SDK keys, mobile keys and client-side IDs of an environment.
import { newId } from '../../kernel/id.ts';
import { route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';

import { Instant } from '../fields.ts';
import { ByEnvironment, openEnvironment } from '../find-project.ts';
import type { Environment } from '../projects/project.ts';
import { environmentResource } from '../policy/resources.ts';
import { EnvironmentRep, showEnvironment, toEnvironment } from './model.ts';
import { lockEnvironment, newMobileKey, newSdkKey, updateEnvironment } from './store.ts';

interface ResettableKey {
  /** The last part of the path. */
  path: string;
  what: string;
  action: string;
  current: 'sdkKey' | 'mobileKey' | 'clientId';
  old: 'oldSdkKey' | 'oldMobileKey' | 'oldClientId';
  make(now: number): string;
}

function resetRoute(id: string, { path, what, action, current, old, make }: ResettableKey) {
  return route(
    {
      id,
      method: 'POST',
      path: `/projects/{projectKey}/environments/{environmentKey}/${path}`,
      summary: `Give an environment a new ${what}`,
      description: 'The old one stops working at once, or at `expiry`; until then both work.',
      access: { action },
      params: ByEnvironment,
      query: Type.Object({
        expiry: Type.Optional(Instant('Until when the old one works, in epoch milliseconds')),
      }),
      reply: { 200: EnvironmentRep },
    },
    async (call, { changes }) => {
      const { projectKey, environmentKey } = call.params;
      const { expiry: until = 0 } = call.query;
      const shown = await changes.run(call, async (tx) => {
        const { db } = tx;
        await lockEnvironment(db, projectKey, environmentKey);
        const { project, environment: before } = await openEnvironment(call, db, projectKey, environmentKey);
        const resource = environmentResource(project, before);
        call.requirePermission(resource, action);
        const { [old]: _retired, ...kept } = before;
        const renewed: Environment = { ...kept, [current]: make(call.now) };
        if (until > call.now) renewed[old] = { key: before[current], until };
        const environment = await updateEnvironment(db, renewed);
        tx.record({
          accesses: [{ action, resource }],
          kind: 'environment',
          name: environment.name,
          verb: `reset the ${what} of the environment`,
          before: toEnvironment(project, before, false),
          after: toEnvironment(project, environment, false),
        });
        return showEnvironment(call, project, environment);
      });
      return shown;
    },
  );
}

export const environmentKeyRoutes = [
  resetRoute('resetEnvironmentSDKKey', {
    path: 'apiKey',
    what: 'SDK key',
    action: 'updateApiKey',
    current: 'sdkKey',
    old: 'oldSdkKey',
    make: newSdkKey,
  }),
  resetRoute('resetEnvironmentMobileKey', {
    path: 'mobileKey',
    what: 'mobile key',
    action: 'updateMobileKey',
    current: 'mobileKey',
    old: 'oldMobileKey',
    make: newMobileKey,
  }),
  resetRoute('resetEnvironmentClientSideId', {
    path: 'clientSideId',
    what: 'client-side ID',
    action: 'updateClientSideId',
    current: 'clientId',
    old: 'oldClientId',
    make: newId,
  }),
];
