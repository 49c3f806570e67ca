// The environment variables of a version, one by one.
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { reply, route, type Call, type Route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { openActor, type ActorCall } from './access.ts';
import { changeOf, lockOwnActor } from './change-actor.ts';
import { changeEnvVar, prepareSealing } from './env-vars.ts';
import { touchActor } from './store.ts';
import { findVersion, updateVersion } from './store-versions.ts';
import { ByVersion, versionNotFound } from './version-routes.ts';
import { checkEnvVars, EnvVarSchema, SentEnvVar, toShownEnvVar, type EnvVar } from './version.ts';

const ByEnvVar = Type.Object({ ...ByVersion.properties, envVarName: Type.String() });

const VIEW = { action: 'viewActorVersion', ofOwner: true } as const;
const UPDATE = { action: 'updateActor', ofOwner: true } as const;

interface VersionParams {
  actorId: string;
  versionNumber: string;
}

const list = route(
  {
    id: 'act_version_envVars_get',
    method: 'GET',
    path: '/actors/{actorId}/versions/{versionNumber}/env-vars',
    summary: 'List the environment variables of a version; the values of secret ones are not shown',
    access: VIEW,
    params: ByVersion,
    reply: { 200: Type.Object({ total: Type.Integer(), items: Type.Array(EnvVarSchema) }) },
  },
  async (call, kernel) => {
    const envVars = await readEnvVars(kernel, call, call.params);
    return { total: envVars.length, items: envVars.map(toShownEnvVar) };
  },
);

const create = route(
  {
    id: 'act_version_envVars_post',
    method: 'POST',
    path: '/actors/{actorId}/versions/{versionNumber}/env-vars',
    summary: 'Add an environment variable to a version',
    access: UPDATE,
    params: ByVersion,
    body: SentEnvVar,
    reply: { 201: EnvVarSchema },
  },
  async (call, kernel) => {
    const { body } = call;
    const { name } = body;
    const after = await changeVariables(kernel, call, call.params, body, async (before) => {
      if (before.some((envVar) => envVar.name === name)) {
        throw new Failure('conflict', `The version has an environment variable ${name} already`, {
          code: 'env-var-already-exists',
        });
      }
      const added = await changeEnvVar(kernel.secrets, undefined, body);
      return {
        envVars: [...before, added],
        changed: added,
        verb: `added the environment variable ${name} to`,
      };
    });
    return reply(201, toShownEnvVar(after));
  },
);

const get = route(
  {
    id: 'act_version_envVar_get',
    method: 'GET',
    path: '/actors/{actorId}/versions/{versionNumber}/env-vars/{envVarName}',
    summary: 'Get an environment variable of a version',
    access: VIEW,
    params: ByEnvVar,
    reply: { 200: EnvVarSchema },
  },
  async (call, kernel) => {
    const { envVarName } = call.params;
    return toShownEnvVar(findEnvVar(await readEnvVars(kernel, call, call.params), envVarName));
  },
);

const update = route(
  {
    id: 'act_version_envVar_put',
    method: 'PUT',
    path: '/actors/{actorId}/versions/{versionNumber}/env-vars/{envVarName}',
    aliases: [{ id: 'act_version_envVar_post', method: 'POST' }],
    summary: 'Change an environment variable of a version',
    description: 'Without a value the old one stays. A secret one stays secret unless `isSecret` is false.',
    access: UPDATE,
    params: ByEnvVar,
    body: Type.Object({ ...SentEnvVar.properties, name: Type.Optional(Type.String()) }),
    reply: { 200: EnvVarSchema },
  },
  async (call, kernel) => {
    const { body } = call;
    const { envVarName: name } = call.params;
    const after = await changeVariables(kernel, call, call.params, body, async (before) => {
      const known = findEnvVar(before, name);
      if (body.name !== undefined && body.name !== name) {
        throw new Failure('invalid', 'An environment variable cannot be renamed: add another one', {
          code: 'cannot-rename-env-var',
        });
      }
      const changed = await changeEnvVar(kernel.secrets, known, { ...body, name });
      const envVars = before.map((envVar) => (envVar === known ? changed : envVar));
      return { envVars, changed, verb: `changed the environment variable ${name} of` };
    });
    return toShownEnvVar(after);
  },
);

const remove = route(
  {
    id: 'act_version_envVar_delete',
    method: 'DELETE',
    path: '/actors/{actorId}/versions/{versionNumber}/env-vars/{envVarName}',
    summary: 'Delete an environment variable of a version',
    access: UPDATE,
    params: ByEnvVar,
    reply: { 204: null },
  },
  async (call, kernel) => {
    const { envVarName: name } = call.params;
    await changeVariables(kernel, call, call.params, {}, (before) => {
      const changed = findEnvVar(before, name);
      const envVars = before.filter((envVar) => envVar !== changed);
      return Promise.resolve({ envVars, changed, verb: `deleted the environment variable ${name} of` });
    });
    return reply(204);
  },
);

interface EnvVarChange {
  envVars: readonly EnvVar[];
  changed: EnvVar;
  /** For the audit log. */
  verb: string;
}

async function readEnvVars(
  kernel: Kernel,
  call: ActorCall,
  { actorId, versionNumber }: VersionParams,
): Promise<readonly EnvVar[]> {
  const actor = await openActor(kernel, call, actorId, 'viewActorVersion');
  const version = await findVersion(kernel.db, actor.id, versionNumber);
  if (version === undefined) throw versionNotFound(versionNumber);
  return version.envVars;
}

/** Returns the variable that was changed. */
async function changeVariables(
  kernel: Kernel,
  call: ActorCall & Pick<Call, 'id' | 'now' | 'requirePermission'>,
  { actorId, versionNumber: number }: VersionParams,
  sent: Pick<SentEnvVar, 'isSecret'>,
  change: (before: readonly EnvVar[]) => Promise<EnvVarChange>,
): Promise<EnvVar> {
  const opened = await openActor(kernel, call, actorId, 'updateActor');
  await prepareSealing(kernel.secrets, [sent]);
  return await kernel.changes.run(call, async (tx) => {
    const { db } = tx;
    const actor = await lockOwnActor(db, opened);
    const version = await findVersion(db, actor.id, number);
    if (version === undefined) throw versionNotFound(number);
    const { envVars, changed, verb } = await change(version.envVars);
    checkEnvVars(envVars);
    await updateVersion(db, { ...version, envVars });
    await touchActor(db, actor.id, call.now);
    // Values are not recorded: not everybody who may read the log may read them.
    tx.record({
      ...changeOf('updateActor', `${verb} version ${number} of`, actor),
      after: { versionNumber: number, name: changed.name, isSecret: changed.isSecret },
    });
    return changed;
  });
}

function findEnvVar(envVars: readonly EnvVar[], name: string): EnvVar {
  const known = envVars.find((envVar) => envVar.name === name);
  if (known === undefined) throw new Failure('not-found', 'The version has no such environment variable');
  return known;
}

export const envVarRoutes = [list, create, get, update, remove] as Route[];
