// Which error types the operations can answer, by what their routes look like: for the OpenAPI document.
import type { FailureKind } from '../kernel/failure.ts';
import type { RouteShape } from '../kernel/http/route.ts';
import type { JsonSchema } from '../kernel/schema/schema.ts';
import { status as statusOfKinds, statusOfCode, TYPE_OF_KINDS } from './failures.ts';

/** What decides which errors a route has. */
interface Operation {
  method: string;
  path: string;
  hasBody: boolean;
  asks(parameter: string): boolean;
}

type Rule = (operation: Operation) => boolean;

const at =
  (path: RegExp, ...methods: string[]): Rule =>
  (one) =>
    path.test(one.path) && (methods.length === 0 || methods.includes(one.method));
const asking =
  (parameter: string): Rule =>
  ({ asks }) =>
    asks(parameter);
const any =
  (...rules: Rule[]): Rule =>
  (one) =>
    rules.some((rule) => rule(one));

const startsRun: Rule = any(asking('webhooks'));
const startsTaskRun: Rule = (one) => startsRun(one) && one.path.startsWith('/actor-tasks/');
const synchronous = at(/\/run-sync/);
const resurrects = at(/\/resurrect$/);
const metamorphoses = at(/\/metamorph$/);
const executes = any(startsRun, resurrects, metamorphoses);
const takesInput = any(startsRun, metamorphoses, at(/\/validate-input$/));
const savesTask = at(/^\/actor-tasks(\/\{actorTaskId\})?$/, 'POST', 'PUT');
const savesTaskInput = at(/^\/actor-tasks\/\{actorTaskId\}\/input$/, 'PUT');
const savesActor = at(/^\/actors(\/\{actorId\})?$/, 'POST', 'PUT');
const savesVersion = at(/\/versions(\/\{versionNumber\})?$/, 'POST', 'PUT');
const savesEnvVar = at(/\/env-vars(\/\{envVarName\})?$/, 'POST', 'PUT');
const savesSchedule = at(/^\/schedules(\/\{scheduleId\})?$/, 'POST', 'PUT');
const savesWebhook = at(/^\/webhooks(\/\{webhookId\})?$/, 'POST', 'PUT');
const ofQueue = at(/^\/request-queues|\/request-queue(\/|$)/);
const exportsItems = asking('view');
const readsStorage = asking('signature');
const savesOptions = any(executes, savesTask, savesSchedule);

/** By the kind of failure, which has the status; `part` is for what cannot be read. */
const RULES: Partial<Record<FailureKind, Record<string, Rule>>> = {
  malformed: {
    'invalid-input': ({ path }) => path.includes('{'),
    // Also what the body names by `username~name`.
    'invalid-request': any(({ path }) => path.includes('{'), savesTask, savesSchedule, savesWebhook),
    'invalid-content-type-header': ({ hasBody }) => hasBody,
  },
  invalid: {
    'invalid-client-key': asking('clientKey'),
    'request-id-invalid': (one) => ofQueue(one) && /\/requests/.test(one.path) && /POST|PUT/.test(one.method),
    'invalid-record-key': any(at(/\{recordKey\}/), asking('outputRecordKey')),
    'schema-validation': any(savesSchedule, savesWebhook, startsRun),
    'invalid-idempotency-key': any(at(/^\/webhooks$/, 'POST'), startsRun),
    'schema-validation-error': at(/\/items$/, 'POST'),
    'dataset-schema-invalid': at(/^\/datasets$/, 'POST'),
    'dataset-does-not-have-schema': exportsItems,
    'requested-dataset-view-does-not-exist': exportsItems,
    'no-columns-in-exported-dataset': exportsItems,
    'input-json-invalid-characters': any(takesInput, savesTaskInput),
    'run-input-body-not-valid-json': any(takesInput, savesTaskInput, savesSchedule),
    'input-json-not-object': any(takesInput, savesTaskInput, savesTask, savesSchedule),
    'input-json-too-long': any(takesInput, savesTask, savesTaskInput),
    'invalid-input-schema': any(takesInput, savesTask),
    'max-items-must-be-greater-than-zero': savesOptions,
    'max-total-charge-usd-must-be-greater-than-zero': savesOptions,
    'max-total-charge-usd-below-minimum': any(startsRun, resurrects),
    'run-failed': synchronous,
    'unknown-build-tag': any(executes, at(/\/validate-input$|\/builds\/default$/), savesTask),
    'invalid-collection': asking('collection'),
    'cannot-remove-running-run': at(/\{runId\}$/, 'DELETE'),
    'deleting-unfinished-build': at(/\{buildId\}$/, 'DELETE'),
    'deleting-default-build': at(/\{buildId\}$/, 'DELETE'),
    'too-few-versions': at(/\{versionNumber\}$/, 'DELETE'),
    'cannot-rename-env-var': savesEnvVar,
    'cron-expression-invalid': savesSchedule,
  },
  forbidden: {
    'invalid-signature': readsStorage,
    'job-finished': at(/\/(reboot|charge|metamorph)$/),
    'too-many-actors': at(/^\/actors$/, 'POST'),
    'too-many-actor-tasks': at(/^\/actor-tasks$/, 'POST'),
    'too-many-schedules': at(/^\/schedules$/, 'POST'),
    'too-many-webhooks': at(/^\/webhooks/, 'POST', 'PUT'),
    'too-many-values': savesSchedule,
    'limit-reached': any(savesActor, savesVersion, savesEnvVar, at(/\/builds$/, 'POST')),
    'platform-feature-disabled': any(executes, at(/\/builds$/, 'POST')),
    'max-metamorphs-exceeded': metamorphoses,
    'cannot-charge-apify-event': at(/\/charge$/),
    'cannot-charge-non-pay-per-event-actor': at(/\/charge$/),
    // The input of a run of a task is refused with another status than that of an Actor.
    'invalid-content-type-header': startsTaskRun,
    'input-json-not-object': startsTaskRun,
  },
  'over-quota': {
    'actor-memory-limit-exceeded': any(startsRun, resurrects),
    'concurrent-runs-limit-exceeded': any(startsRun, resurrects),
  },
  'not-found': {
    // What the body names.
    'record-not-found': at(/^\/(actor-tasks|webhooks)$/, 'POST'),
    'actor-not-found': any(resurrects, startsTaskRun),
    'build-not-found': at(/^\/actors\/\{actorId\}$/, 'PUT'),
    'user-not-found': at(/^\/users\/\{userId\}$/),
    'schedule-actor-not-found': savesSchedule,
    'schedule-actor-task-not-found': savesSchedule,
  },
  timeout: { 'run-timeout-exceeded': synchronous },
  conflict: {
    // Also by GET, which starts a run here.
    'concurrent-update-detected': synchronous,
    'actor-task-name-not-unique': savesTask,
    'actor-name-not-unique': savesActor,
    'schedule-name-not-unique': savesSchedule,
    'version-already-exists': savesVersion,
    'env-var-already-exists': savesEnvVar,
    'name-not-unique': at(
      /^\/(datasets|key-value-stores|request-queues)\/\{storageId\}$|\/(dataset|key-value-store|request-queue)$/,
      'PUT',
    ),
    'request-handled-or-locked': (one) =>
      ofQueue(one) && /\{requestId\}(\/lock)?$/.test(one.path) && one.method !== 'GET',
  },
  'too-large': { 'record-too-large': at(/\{recordKey\}$/, 'PUT', 'POST') },
};

/** The types by status: those of the kinds of failure that every such route has, and those of the route itself. */
export function errorTypesOf(shape: RouteShape, kinds: readonly FailureKind[]): Map<number, string[]> {
  const operation = operationOf(shape);
  const found = new Map<number, Set<string>>();
  const add = (status: number, type: string) => found.set(status, (found.get(status) ?? new Set()).add(type));
  // A wrong token is refused everywhere, and that of a run also where others need no permission.
  const others = shape.access === 'anyone' ? [] : (['denied'] as const);
  for (const kind of [...kinds, 'unauthenticated', ...others] as const)
    add(statusOfKinds[kind], TYPE_OF_KINDS[kind]);
  for (const [kind, rules] of Object.entries(RULES) as [FailureKind, Record<string, Rule>][])
    for (const [type, applies] of Object.entries(rules))
      if (applies(operation)) add(statusOfCode(type) ?? statusOfKinds[kind], type);
  return new Map([...found].map(([status, types]) => [status, [...types]]));
}

function operationOf({ method, path, query, body, consumes }: RouteShape): Operation {
  const { properties = {} } = (query ?? {}) as JsonSchema;
  return {
    method,
    path,
    hasBody: body !== undefined || consumes !== undefined,
    asks: (parameter) => Object.hasOwn(properties, parameter),
  };
}
