// The environment of a run's process: the contract between the platform and its SDKs. The platform's variables win over those of the Actor's version.
import { findAccount } from '../../kernel/identity/store-accounts.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { openEnvVars } from '../actors/env-vars.ts';
import { standbyUrlOf } from '../standby/model.ts';
import { findActorById } from '../actors/store.ts';
import { listTagsOfBuild } from '../actors/store-tags.ts';
import { findVersion } from '../actors/store-versions.ts';
import type { Build } from '../builds/model.ts';
import { inputSecretEnv } from '../input/secret-keys.ts';
import { mayViewAccount } from '../users/access.ts';
import { ensureAccountRecord } from '../users/store.ts';
import { containerUrlOf, storageIdsOf, type Run } from './model.ts';
import { SECRET_VARIABLE, withGuard, type ReservedWebServer } from './web-server.ts';
import type { RunListener } from './run-listener.ts';
import { programOf } from './run-tokens.ts';

export async function programEnvironment(
  kernel: Kernel,
  run: Run,
  build: Build,
  { token, listener, web }: { token: string; listener: RunListener; web: ReservedWebServer },
): Promise<Record<string, string>> {
  const { db, publicUrl } = kernel;
  const [actor, version, buildTags, secrets, account] = await Promise.all([
    findActorById(db, run.actorId),
    findVersion(db, run.actorId, build.versionNumber),
    listTagsOfBuild(db, run.buildId),
    inputSecretEnv(kernel, { userId: run.userId, actorId: run.actorId }),
    ensureAccountRecord(db, run.userId),
  ]);
  const owner = actor && (await findAccount(db, { id: actor.userId }));
  const variables = {
    ...(version && openEnvVars(kernel, version)),
    ...secrets,
    ...environmentOf({
      run,
      token,
      fullName: `${owner?.username ?? ''}/${actor?.name ?? ''}`,
      buildTags,
      apiUrl: listener.url,
      eventsUrl: listener.eventsUrlOf(token),
      publicUrl,
      proxyPassword: (await mayHavePassword(kernel, run)) ? account.proxyPassword : null,
      web,
      standbyUrl:
        owner && actor?.details.actorStandby?.isEnabled
          ? standbyUrlOf(publicUrl, owner.username, actor.name)
          : null,
    }),
  };
  return withGuard(variables, web);
}

async function mayHavePassword({ db, identity, clock }: Kernel, run: Run): Promise<boolean> {
  if (run.meta.initiator.boundary === undefined) return true;
  const program = await identity.callerOfProgram(db, programOf(run), clock.now());
  return program !== undefined && mayViewAccount(program);
}

interface EnvironmentFacts {
  run: Run;
  /** The secret of the process's token. */
  token: string;
  /** `username/actor-name` */
  fullName: string;
  buildTags: readonly string[];
  /** Where the process reaches the API, without a slash at the end. */
  apiUrl: string;
  eventsUrl: string;
  publicUrl: string;
  /** Null where the token that started the run may not view the account. */
  proxyPassword: string | null;
  /** Where the process may serve something, and the secret of the requests that it gets. */
  web: { port: number; secret: string };
  /** Null where its Actor is not in standby mode. */
  standbyUrl: string | null;
}

/** The variables whose newer name begins with `ACTOR_`; older SDKs read the name that begins with `APIFY_`. */
function environmentOf(facts: EnvironmentFacts): Record<string, string> {
  const {
    run,
    token,
    apiUrl,
    publicUrl,
    web: { port, secret },
  } = facts;
  const { options } = run;
  const both: [names: string[], value: string | null][] = [
    [['ACTOR_ID', 'APIFY_ACTOR_ID', 'APIFY_ACT_ID'], run.actorId],
    [['ACTOR_RUN_ID', 'APIFY_ACTOR_RUN_ID', 'APIFY_ACT_RUN_ID'], run.id],
    [['ACTOR_TASK_ID', 'APIFY_ACTOR_TASK_ID'], run.taskId],
    [['ACTOR_BUILD_ID', 'APIFY_ACTOR_BUILD_ID'], run.buildId],
    [['ACTOR_BUILD_NUMBER', 'APIFY_ACTOR_BUILD_NUMBER'], run.buildNumber],
    [['ACTOR_BUILD_TAGS'], facts.buildTags.join(',')],
    [['ACTOR_DEFAULT_DATASET_ID', 'APIFY_DEFAULT_DATASET_ID'], run.datasetId],
    [['ACTOR_DEFAULT_KEY_VALUE_STORE_ID', 'APIFY_DEFAULT_KEY_VALUE_STORE_ID'], run.storeId],
    [['ACTOR_DEFAULT_REQUEST_QUEUE_ID', 'APIFY_DEFAULT_REQUEST_QUEUE_ID'], run.queueId],
    [['ACTOR_STORAGES_JSON'], JSON.stringify(storageIdsOf(run))],
    [['ACTOR_INPUT_KEY', 'APIFY_INPUT_KEY'], run.inputKey],
    [['ACTOR_EVENTS_WEBSOCKET_URL', 'APIFY_ACTOR_EVENTS_WS_URL'], facts.eventsUrl],
    [['ACTOR_MEMORY_MBYTES', 'APIFY_MEMORY_MBYTES'], String(options.memoryMbytes)],
    [['ACTOR_STARTED_AT', 'APIFY_STARTED_AT'], new Date(run.startedAt).toISOString()],
    [
      ['ACTOR_TIMEOUT_AT', 'APIFY_TIMEOUT_AT'],
      run.timeoutAt === null ? null : new Date(run.timeoutAt).toISOString(),
    ],
    [['ACTOR_WEB_SERVER_PORT', 'APIFY_CONTAINER_PORT', 'ACTOR_STANDBY_PORT'], String(port)],
    [['ACTOR_WEB_SERVER_URL', 'APIFY_CONTAINER_URL'], containerUrlOf(publicUrl, run)],
    [[SECRET_VARIABLE], secret],
    [['ACTOR_STANDBY_URL'], facts.standbyUrl],
    [['ACTOR_FULL_NAME'], facts.fullName],
    [['ACTOR_PERMISSION_LEVEL'], run.permissionLevel],
    [['ACTOR_RESTART_ON_ERROR'], options.restartOnError ? '1' : '0'],
    [['ACTOR_MAX_PAID_DATASET_ITEMS'], options.maxItems === null ? null : String(options.maxItems)],
    [
      ['ACTOR_MAX_TOTAL_CHARGE_USD'],
      options.maxTotalChargeUsd === null ? null : String(options.maxTotalChargeUsd),
    ],
    [['APIFY_IS_AT_HOME'], '1'],
    [['APIFY_TOKEN'], token],
    [['APIFY_API_BASE_URL'], `${apiUrl}/`],
    // SDKs append a path that begins with a slash.
    [['APIFY_API_PUBLIC_BASE_URL'], publicUrl],
    [['APIFY_USER_ID'], run.userId],
    [['APIFY_USER_IS_PAYING'], '1'],
    [['APIFY_META_ORIGIN'], run.meta.origin],
    [['APIFY_PROXY_PASSWORD'], facts.proxyPassword],
    [['APIFY_HEADLESS'], '1'],
    // A fraction of a processor for each gigabyte, as the runner limits it.
    [['APIFY_DEDICATED_CPUS'], String(Math.max(options.memoryMbytes / 4096, 0.03125))],
    [['APIFY_DISABLE_OUTDATED_WARNING'], '1'],
    [['APIFY_ACTOR_PRICING_INFO'], run.pricing === undefined ? null : JSON.stringify(run.pricing)],
    [['APIFY_CHARGED_ACTOR_EVENT_COUNTS'], JSON.stringify(run.chargedEvents)],
  ];
  return Object.fromEntries(
    both.flatMap(([names, value]) => (value === null ? [] : names.map((name) => [name, value] as const))),
  );
}
