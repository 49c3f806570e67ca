// New SDK and mobile keys for an environment.
import type { Kernel } from '../../kernel/kernel.ts';
import { route, type Call } from '../../kernel/route.ts';
import { Type } from '../../kernel/schema.ts';
import { recordChange } from '../change.ts';
import { Instant } from '../fields.ts';
import { ByEnvironment, openEnvironment } from '../open.ts';
import type { Environment } from '../projects/project.ts';
import { environmentResource } from '../resources.ts';
import { EnvironmentRep, showEnvironment, toEnvironment } from './model.ts';
import { holdEnvironment, newMobileKey, newSdkKey, updateEnvironment } from './store.ts';

const resetSdkKey = route(
  {
    id: 'resetEnvironmentSDKKey',
    method: 'POST',
    path: '/projects/{projectKey}/environments/{environmentKey}/apiKey',
    summary: 'Give an environment a new SDK key',
    description: 'The old key stops working at once, or at `expiry`; until then both work.',
    access: { action: 'updateApiKey' },
    params: ByEnvironment,
    query: Type.Object({
      expiry: Type.Optional(Instant('Until when the old key works, in epoch milliseconds')),
    }),
    reply: { 200: EnvironmentRep },
  },
  (call, kernel) =>
    reset(
      call,
      kernel,
      'updateApiKey',
      'reset the SDK key of the environment',
      ({ oldSdkKey: _old, ...kept }) => {
        const { expiry } = call.query;
        const isKept = expiry !== undefined && expiry > call.now;
        return {
          ...kept,
          sdkKey: newSdkKey(),
          ...(isKept && { oldSdkKey: { key: kept.sdkKey, until: expiry } }),
        };
      },
    ),
);

const resetMobileKey = route(
  {
    id: 'resetEnvironmentMobileKey',
    method: 'POST',
    path: '/projects/{projectKey}/environments/{environmentKey}/mobileKey',
    summary: 'Give an environment a new mobile key',
    description: 'The old key stops working at once.',
    access: { action: 'updateMobileKey' },
    params: ByEnvironment,
    reply: { 200: EnvironmentRep },
  },
  (call, kernel) =>
    reset(call, kernel, 'updateMobileKey', 'reset the mobile key of the environment', (environment) => ({
      ...environment,
      mobileKey: newMobileKey(),
    })),
);

export const environmentKeyRoutes = [resetSdkKey, resetMobileKey];

async function reset(
  call: Pick<Call, 'id' | 'now' | 'caller' | 'can' | 'demand'> & {
    params: { projectKey: string; environmentKey: string };
  },
  { db, engine }: Kernel,
  action: string,
  verb: string,
  renew: (environment: Environment) => Environment,
) {
  const { projectKey, environmentKey } = call.params;
  const shown = await db.transaction().execute(async (tx) => {
    await holdEnvironment(engine, tx, projectKey, environmentKey);
    const { project, environment: before } = await openEnvironment(call, tx, projectKey, environmentKey);
    const resource = environmentResource(project, before);
    call.demand(resource, action);
    const environment = await updateEnvironment(tx, renew(before));
    await recordChange(tx, call, {
      accesses: [{ action, resource }],
      kind: 'environment',
      name: environment.name,
      verb,
      before: toEnvironment(project, before, false),
      after: toEnvironment(project, environment, false),
    });
    return showEnvironment(call, project, environment);
  });
  await engine.notify('due');
  return shown;
}
