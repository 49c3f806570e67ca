// Samples of the Actors API by its official client, whose methods follow the paths: `client.actor(id).versions().list()`.
import {
  scriptValue,
  type ClientOperation,
  type SampleClient,
} from '../kernel/openapi/reference/client-sample.ts';
import type { SampleCall } from '../kernel/openapi/reference/samples.ts';

/** By a part of the path: the method for all of them, and the one for one of them. */
const RESOURCES: Readonly<Record<string, { all?: string; one?: string }>> = {
  actors: { all: 'actors', one: 'actor' },
  versions: { all: 'versions', one: 'version' },
  'env-vars': { all: 'envVars', one: 'envVar' },
  builds: { all: 'builds' },
  runs: { all: 'runs' },
  dispatches: { all: 'dispatches' },
  'actor-builds': { all: 'builds', one: 'build' },
  'actor-runs': { all: 'runs', one: 'run' },
  'actor-tasks': { all: 'tasks', one: 'task' },
  datasets: { all: 'datasets', one: 'dataset' },
  'key-value-stores': { all: 'keyValueStores', one: 'keyValueStore' },
  'request-queues': { all: 'requestQueues', one: 'requestQueue' },
  schedules: { all: 'schedules', one: 'schedule' },
  webhooks: { all: 'webhooks', one: 'webhook' },
  'webhook-dispatches': { all: 'webhookDispatches', one: 'webhookDispatch' },
  users: { one: 'user' },
  logs: { one: 'log' },
  store: { all: 'store' },
};

const OF_ALL: Readonly<Record<string, string>> = { GET: 'list()', POST: 'create(BODY)' };
const OF_ONE: Readonly<Record<string, string>> = {
  GET: 'get()',
  PUT: 'update(BODY)',
  DELETE: 'delete()',
};

/** Where the last part of the path is no resource. Names of parameters and `BODY` stand for values of the call. */
const OTHERS: Readonly<Record<string, string>> = {
  users_me_get: 'user("me").get()',
  users_me_usage_monthly_get: 'user("me").monthlyUsage()',
  users_me_limits_get: 'user("me").limits()',
  users_me_limits_put: 'user("me").updateLimits(BODY)',
  act_builds_post: 'actor(actorId).build("0.0")',
  act_build_default_get: 'actor(actorId).defaultBuild()',
  act_runs_post: 'actor(actorId).start(BODY)',
  act_validateInput_post: 'actor(actorId).validateInput(BODY)',
  actorBuild_log_get: 'build(buildId).log().get()',
  actorBuild_openapi_json_get: 'build(buildId).getOpenApiDefinition()',
  actorBuild_abort_post: 'build(buildId).abort()',
  actorRun_log_get: 'run(runId).log().get()',
  actorRun_abort_post: 'run(runId).abort()',
  actorRun_reboot_post: 'run(runId).reboot()',
  actorRun_resurrect_post: 'run(runId).resurrect()',
  actorRun_metamorph_post: 'run(runId).metamorph("admin~other-actor", BODY)',
  actorRun_charge_post: 'run(runId).charge(BODY)',
  actorTask_input_get: 'task(actorTaskId).getInput()',
  actorTask_input_put: 'task(actorTaskId).updateInput(BODY)',
  actorTask_runs_post: 'task(actorTaskId).start(BODY)',
  webhook_test_post: 'webhook(webhookId).test()',
  schedule_log_get: 'schedule(scheduleId).getLog()',
  datasets_post: 'datasets().getOrCreate("my-dataset")',
  dataset_items_post: 'dataset(storageId).pushItems(BODY)',
  dataset_items_get: 'dataset(storageId).listItems()',
  dataset_statistics_get: 'dataset(storageId).getStatistics()',
  keyValueStores_post: 'keyValueStores().getOrCreate("my-store")',
  keyValueStore_keys_get: 'keyValueStore(storageId).listKeys()',
  keyValueStore_record_get: 'keyValueStore(storageId).getRecord(recordKey)',
  keyValueStore_record_put: 'keyValueStore(storageId).setRecord({ key: recordKey, value: BODY })',
  keyValueStore_record_delete: 'keyValueStore(storageId).deleteRecord(recordKey)',
  requestQueues_post: 'requestQueues().getOrCreate("my-queue")',
  requestQueue_requests_post: 'requestQueue(storageId).addRequest(BODY)',
  requestQueue_requests_get: 'requestQueue(storageId).listRequests()',
  requestQueue_request_get: 'requestQueue(storageId).getRequest(requestId)',
  requestQueue_request_put: 'requestQueue(storageId).updateRequest({ ...BODY, id: requestId })',
  requestQueue_request_delete: 'requestQueue(storageId).deleteRequest(requestId)',
  requestQueue_requests_batch_post: 'requestQueue(storageId).batchAddRequests(BODY)',
  requestQueue_requests_batch_delete: 'requestQueue(storageId).batchDeleteRequests(BODY)',
  requestQueue_head_get: 'requestQueue(storageId).listHead()',
  requestQueue_head_lock_post: 'requestQueue(storageId).listAndLockHead({ lockSecs: 60 })',
  requestQueue_request_lock_put: 'requestQueue(storageId).prolongRequestLock(requestId, { lockSecs: 60 })',
  requestQueue_request_lock_delete: 'requestQueue(storageId).deleteRequestLock(requestId)',
  requestQueue_requests_unlock_post: 'requestQueue(storageId).unlockRequests()',
};

export const actorsClient: SampleClient = { name: 'apify-client', write };

function write(operation: ClientOperation, call: SampleCall): string | undefined {
  const method = OTHERS[operation.id] ?? derived(operation);
  if (method === undefined) return undefined;
  const body = call.body === undefined ? '' : scriptValue(call.body);
  const filled = Object.entries(call.values)
    .reduce(
      (text, [name, value]) => text.replace(new RegExp(`\\b${name}\\b`), () => JSON.stringify(value)),
      method,
    )
    .replace('BODY', () => body)
    .replace(', )', ')');
  return [
    'import { ApifyClient } from "apify-client";',
    '',
    'const client = new ApifyClient({',
    `  baseUrl: ${JSON.stringify(call.publicUrl)},`,
    '  token: process.env.SIGNALBOX_TOKEN,',
    '});',
    `console.log(await client.${filled});`,
  ].join('\n');
}

/** Undefined where a part of the path has no method. */
function derived({ method, path }: ClientOperation): string | undefined {
  const parts = path.split('/').slice(1);
  const calls: string[] = [];
  let isOne = false;
  for (let index = 0; index < parts.length; index += isOne ? 2 : 1) {
    const [, parameter] = /^\{(\w+)\}$/.exec(parts[index + 1] ?? '') ?? [];
    const { all, one } = RESOURCES[parts[index]!] ?? {};
    isOne = parameter !== undefined;
    const name = isOne ? one : all;
    if (name === undefined) return undefined;
    calls.push(isOne ? `${name}(${parameter})` : `${name}()`);
  }
  const verb = (isOne ? OF_ONE : OF_ALL)[method];
  return verb === undefined ? undefined : [...calls, verb].join('.');
}
