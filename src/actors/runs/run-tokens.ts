// The tokens of runs: what the process of a run may do with the API, for its owner.
import type { FoundProgram, ProgramTokens } from '../../kernel/identity/identity.ts';
import { hashSecret } from '../../kernel/secrets/secret.ts';
import { compilePolicy, type PolicyStatement } from '../../kernel/identity/policy.ts';
import { accountResource, VIEW_ACCOUNT } from '../users/access.ts';
import { isFinished } from '../jobs/job.ts';
import { type Run, runTag } from './model.ts';
import type { RunCalls } from './run-calls.ts';
import { findRunByToken } from './store.ts';

export const RUN_TOKEN_PREFIX = 'run-';

export function openRunTokens(calls: Pick<RunCalls, 'count'>): ProgramTokens {
  return {
    hasForm: (secret) => secret.startsWith(RUN_TOKEN_PREFIX),
    async find(db, secret) {
      const run = await findRunByToken(db, hashSecret(secret));
      if (run === undefined || isFinished(run.status)) return undefined;
      const found = programOf(run);
      return { ...found, program: { ...found.program, noteCall: calls.count.bind(calls, run.id) } };
    },
  };
}

/** The program of a run, as long as it runs, and what it has left to be done afterwards. */
export function programOf(run: Run): Exclude<FoundProgram, { caller: unknown }> {
  const { initiator } = run.meta;
  const [own, others] = statementsOf(run);
  const policy = compilePolicy([...own, ...others]);
  return { program: { api: 'actors', id: run.id }, initiator, policy, own: compilePolicy(own) };
}

const STORAGE_ACTIONS = ['viewStorage', 'updateStorage', 'deleteStorage'];
const ALL_STORAGES = ['dataset/*', 'key-value-store/*', 'request-queue/*'];

/**
 * The actions are named one by one: what is added later, such as tokens or environment variables, is not for programs. First
 * what belongs to the run or was created by it, which it always has. With limited permissions, which code of other people has
 * by default, that is nearly all; the rest is also cut by the boundary of the token that started the run.
 */
function statementsOf(run: Run): [own: PolicyStatement[], others: PolicyStatement[]] {
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
  ];
  // What a program learns of the account, a narrowed token must be allowed to see.
  const account = accountResource(run.userId);
  const viewAccount: PolicyStatement = { effect: 'allow', actions: [VIEW_ACCOUNT], resources: [account] };
  if (run.permissionLevel === 'LIMITED_PERMISSIONS') return [own, [viewAccount]];
  const others: PolicyStatement[] = [
    viewAccount,
    { effect: 'allow', actions: ['viewActor', 'runActor'], resources: ['actor/*'] },
    { effect: 'allow', actions: ['viewTask', 'runTask'], resources: ['actor-task/*'] },
    { effect: 'allow', actions: ['viewRun'], resources: ['actor-run/*'] },
    { effect: 'allow', actions: ['updateRun'], resources: [`actor-run/*;${runTag(id)}`] },
    { effect: 'allow', actions: ['viewBuild'], resources: ['actor-build/*'] },
    { effect: 'allow', actions: STORAGE_ACTIONS, resources: ALL_STORAGES },
  ];
  return [own, others];
}
