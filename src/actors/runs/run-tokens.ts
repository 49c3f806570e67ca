// The tokens of runs: what the process of a run may do with the API, for its owner.
import type { ProgramTokens } from '../../kernel/identity/identity.ts';
import { hashSecret } from '../../kernel/identity/secret.ts';
import { compilePolicy, type Policy, type PolicyStatement } from '../../kernel/identity/policy.ts';
import { isFinished } from '../jobs/job-status.ts';
import { type Run } from './model.ts';
import { runTag } from './run-tag.ts';
import { findRunByToken } from './store.ts';

export const RUN_TOKEN_PREFIX = 'run-';

export const runTokens: ProgramTokens = {
  hasForm: (secret) => secret.startsWith(RUN_TOKEN_PREFIX),
  async find(db, secret) {
    const run = await findRunByToken(db, hashSecret(secret));
    if (run === undefined || isFinished(run.status)) return undefined;
    const { initiator } = run.meta;
    return { program: { api: 'actors', id: run.id }, initiator, policy: policyOfRun(run) };
  },
};

const STORAGE_ACTIONS = ['viewStorage', 'updateStorage', 'deleteStorage'];
const ALL_STORAGES = ['dataset/*', 'key-value-store/*', 'request-queue/*'];

/**
 * The actions are named one by one: what is added later, such as tokens or environment variables, is not for programs. With
 * limited permissions, which code of other people has by default, only what belongs to the run or was created by it.
 */
export function policyOfRun(run: Run): Policy {
  const { id, datasetId, storeId, queueId } = run;
  const own: PolicyStatement[] = [
    { effect: 'allow', actions: ['viewRun', 'updateRun'], resources: [`actor-run/${id}`] },
    { effect: 'allow', actions: ['viewActor'], resources: [`actor/${run.actorId}`] },
    { effect: 'allow', actions: ['viewBuild'], resources: [`actor-build/${run.buildId}`] },
    { effect: 'allow', actions: ['createStorage'], resources: ALL_STORAGES },
    // On itself, and on the runs that it starts.
    {
      effect: 'allow',
      actions: ['createWebhook', 'viewWebhook'],
      resources: [`actor-webhook/*;${runTag(id)}`],
    },
  ];
  if (run.permissionLevel === 'LIMITED_PERMISSIONS') {
    return compilePolicy([
      ...own,
      {
        effect: 'allow',
        actions: STORAGE_ACTIONS,
        resources: [
          `dataset/${datasetId}`,
          `key-value-store/${storeId}`,
          `request-queue/${queueId}`,
          ...ALL_STORAGES.map((storages) => `${storages};${runTag(id)}`),
        ],
      },
    ]);
  }
  return compilePolicy([
    ...own,
    { effect: 'allow', actions: ['viewActor', 'runActor'], resources: ['actor/*'] },
    { effect: 'allow', actions: ['viewTask', 'runTask'], resources: ['actor-task/*'] },
    { effect: 'allow', actions: ['viewRun'], resources: ['actor-run/*'] },
    { effect: 'allow', actions: ['updateRun'], resources: [`actor-run/*;${runTag(id)}`] },
    { effect: 'allow', actions: ['viewBuild'], resources: ['actor-build/*'] },
    { effect: 'allow', actions: STORAGE_ACTIONS, resources: ALL_STORAGES },
  ]);
}
