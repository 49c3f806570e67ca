// New SDK keys, mobile keys and client-side IDs for an environment.
import { newId } from '../../kernel/id.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { route, type Call } from '../../kernel/route.ts';
import { Type } from '../../kernel/schema.ts';
import { recordChange } from '../change.ts';
import { Instant } from '../fields.ts';
import { ByEnvironment, openEnvironment } from '../open.ts';
import type { Environment, RetiredKey } from '../projects/project.ts';
import { environmentResource } from '../resources.ts';
import { EnvironmentRep, showEnvironment, toEnvironment } from './model.ts';
import { holdEnvironment, newMobileKey, newSdkKey, updateEnvironment } from './store.ts';

const Grace = Type.Object({
  expiry: Type.Optional(Instant('Until when the old one works, in epoch milliseconds')),
});
const DESCRIPTION = 'The old one stops working at once, or at `expiry`; until then both work.';

const resetSdkKey = route(
  {
    id: 'resetEnvironmentSDKKey',
    method: 'POST',
    path: '/projects/{projectKey}/environments/{environmentKey}/apiKey',
    summary: 'Give an environment a new SDK key',
    description: DESCRIPTION,
    access: { action: 'updateApiKey' },
    params: ByEnvironment,
    query: Grace,
    reply: { 200: EnvironmentRep },
  },
  (call, kernel) =>
    reset(call, kernel, { action: 'updateApiKey', what: 'SDK key' }, ({ oldSdkKey: _old, ...kept }) => ({
      ...kept,
      sdkKey: newSdkKey(),
      ...retire('oldSdkKey', kept.sdkKey, call),
    })),
);

const resetMobileKey = route(
  {
    id: 'resetEnvironmentMobileKey',
    method: 'POST',
    path: '/projects/{projectKey}/environments/{environmentKey}/mobileKey',
    summary: 'Give an environment a new mobile key',
    description: DESCRIPTION,
    access: { action: 'updateMobileKey' },
    params: ByEnvironment,
    query: Grace,
    reply: { 200: EnvironmentRep },
  },
  (call, kernel) =>
    reset(
      call,
      kernel,
      { action: 'updateMobileKey', what: 'mobile key' },
      ({ oldMobileKey: _old, ...kept }) => ({
        ...kept,
        mobileKey: newMobileKey(),
        ...retire('oldMobileKey', kept.mobileKey, call),
      }),
    ),
);

const resetClientId = route(
  {
    id: 'resetEnvironmentClientSideId',
    method: 'POST',
    path: '/projects/{projectKey}/environments/{environmentKey}/clientSideId',
    summary: 'Give an environment a new client-side ID',
    description: DESCRIPTION,
    access: { action: 'updateClientSideId' },
    params: ByEnvironment,
    query: Grace,
    reply: { 200: EnvironmentRep },
  },
  (call, kernel) =>
    reset(
      call,
      kernel,
      { action: 'updateClientSideId', what: 'client-side ID' },
      ({ oldClientId: _old, ...kept }) => ({
        ...kept,
        clientId: newId(call.now),
        ...retire('oldClientId', kept.clientId, call),
      }),
    ),
);

export const environmentKeyRoutes = [resetSdkKey, resetMobileKey, resetClientId];

function retire<Name extends string>(
  name: Name,
  key: string,
  { query: { expiry }, now }: { query: { expiry?: number }; now: number },
): { [retired in Name]?: RetiredKey } {
  if (expiry === undefined || expiry <= now) return {};
  return { [name]: { key, until: expiry } } as { [retired in Name]: RetiredKey };
}

async function reset(
  call: Pick<Call, 'id' | 'now' | 'caller' | 'can' | 'demand'> & {
    params: { projectKey: string; environmentKey: string };
  },
  { db, engine }: Kernel,
  { action, what }: { action: string; what: string },
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
      verb: `reset the ${what} of the environment`,
      before: toEnvironment(project, before, false),
      after: toEnvironment(project, environment, false),
    });
    return showEnvironment(call, project, environment);
  });
  return shown;
}
