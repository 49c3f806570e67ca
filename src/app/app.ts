// The composition root: builds the engine, the kernel's services and the three APIs on one server from the settings.
import { readFileSync } from 'node:fs';
import { actorsApi } from '../actors/api.ts';
import { schedulePushBuilds } from '../actors/builds/build-on-push.ts';
import { runTokens } from '../actors/runs/run-tokens.ts';
import { appTokens } from '../host/apps/app-tokens.ts';
import { installationTokens } from '../host/apps/installation-tokens.ts';
import type { ExecutionSettings } from '../actors/jobs/settings.ts';
import { openActorsServices } from '../actors/services.ts';
import { quotasOf, secondaryQuotasOf, streamLimitsOf } from './quotas.ts';
import type { Config } from './config.ts';
import { seedDemo } from './demo.ts';
import { executionSettingsOf, recordIsolation } from './execution-settings.ts';
import { flagsApi } from '../flags/api.ts';
import { deliveryApis } from '../flags/delivery/api.ts';
import { ofrepApi } from '../flags/ofrep/api.ts';
import { serveFlagPages } from '../flags/serve-pages.ts';
import { openFlagServices } from '../flags/services.ts';
import { hostApi } from '../host/api.ts';
import { RESERVED_NAMES } from '../host/owners/reserved-names.ts';
import { openHostServices } from '../host/services.ts';
import { maySourceBeRead, openSource } from '../host/sources/open-source.ts';
import { repositoryNameIn } from '../host/sources/own-url.ts';
import { BodyMemory } from '../kernel/http/body/body-memory.ts';
import { systemClock, type Clock } from '../kernel/clock.ts';
import type { Api } from '../kernel/http/protocol.ts';
import { dueMigrations } from '../kernel/jobs/due-store.ts';
import type { StopReason, Worker } from '../kernel/jobs/due-worker.ts';
import { Changes } from '../kernel/change/changes.ts';
import { eventMigrations, updateEntryOwner } from '../kernel/change/store.ts';
import { Failure } from '../kernel/failure.ts';
import type { EndMember, TransferOwnership } from '../kernel/identity/store-accounts.ts';
import { compileBaseRoles } from '../kernel/identity/base-roles.ts';
import { createFirstSecret, ensureAdmin, ensurePassword } from '../kernel/identity/first-start.ts';
import { Identity } from '../kernel/identity/identity.ts';
import { LIBRARY_USERNAME } from '../kernel/identity/library-account.ts';
import { serveLogin } from '../kernel/http/pages/login.ts';
import { reservePaths } from '../kernel/identity/store-reserved-names.ts';
import { identityMigrations } from '../kernel/identity/tables.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { limitMigrations } from '../kernel/limits/store.ts';
import { Limits } from '../kernel/limits/limits.ts';
import { createLog, type Logger } from '../kernel/observability/log.ts';
import { Metrics } from '../kernel/observability/metrics.ts';
import { SecondaryLimits } from '../kernel/limits/secondary-limits.ts';
import { secretKeyMigrations } from '../kernel/secrets/secret-key-store.ts';
import { serveDocs } from '../kernel/openapi/serve-docs.ts';
import { serveRaw } from '../kernel/http/serve-raw.ts';
import { serve } from '../kernel/http/serve.ts';
import {
  closeServer,
  createServer,
  listenOn,
  serveOperation,
  urlOf,
  type Readiness,
} from '../kernel/http/server/server.ts';
import { saveRegularly } from './save-regularly.ts';
import type { DiskSpace } from '../kernel/storage/disk/disk-space.ts';
import type { Engine } from '../kernel/storage/engine.ts';
import type { Migration } from '../kernel/storage/migrate.ts';
import { serveImpactPages } from '../kernel/openapi/upgrade-report/serve-page.ts';
import type { Db } from '../kernel/storage/tables.ts';
import { versionUsageMigrations } from '../kernel/versions/usage/tables.ts';
import { VersionUsage } from '../kernel/versions/usage/version-usage.ts';
import { webhookMigrations } from '../kernel/webhooks/tables.ts';
import { guard } from '../kernel/network/guard.ts';
import { openBlobs } from './open-blobs.ts';
import { openDiskSpace, watchDisk } from './open-disk-space.ts';
import { openOwnEngine } from './open-engine.ts';
import { openSecrets } from './open-secrets.ts';
import { RELEASE } from './release.ts';
import { upgradeDatabase } from './upgrade-database.ts';
import { repositoriesFolderOf } from './repositories-folder.ts';
import { startBackgroundWork } from './background-work.ts';

export const apis: readonly Api[] = [flagsApi, actorsApi, hostApi];

/** In the order of application. */
export const migrations: Migration[] = [
  ...identityMigrations,
  ...eventMigrations,
  ...limitMigrations,
  ...dueMigrations,
  ...webhookMigrations,
  ...secretKeyMigrations,
  ...versionUsageMigrations,
  ...apis.flatMap((api) => api.migrations ?? []),
];

/** With the statements of the kernel and all APIs. */
const baseRoles = compileBaseRoles(apis.flatMap((api) => api.roleStatements ?? []));

/** Transfers the resources of a deleted account to another, in every API. */
export const transferOwnership: TransferOwnership = async (tx, from, to) => {
  for (const api of apis) await api.transferOwnership?.(tx, from, to);
  await updateEntryOwner(tx.db, { ownerId: from.id }, to.id);
};

/** Ends what must not outlive a removed member, in every API. */
const endMember: EndMember = async (tx, member) => {
  for (const api of apis) await api.endMember?.(tx, member);
};

async function auditedAccounts(db: Db, accountId: string): Promise<string[]> {
  const found: string[] = [];
  for (const api of apis) found.push(...((await api.auditedAccounts?.(db, accountId)) ?? []));
  return found;
}

/** For every process that changes the database: a server, or a command beside it. */
export function changesOn(engine: Engine): Changes {
  return new Changes(
    engine,
    apis.flatMap((api) => api.subscribers?.() ?? []),
  );
}

export interface App {
  kernel: Kernel;
  /** The secret of the administrator's first token, if it has not been shown yet: the caller must show it. */
  createFirstSecret(): Promise<string | undefined>;
  /** Returns the URL once it listens. With `orNext`, a port in use is replaced by the next free one. */
  listen(options?: { orNext?: boolean }): Promise<string>;
  /** Finishes running calls and work, releases leases, and closes the database. */
  close(reason?: StopReason): Promise<void>;
}

export interface AppOptions {
  clock?: Clock;
  log?: Logger;
  /** The command that started this program, for hints that name its commands. */
  program?: string;
  /** Whether sessions need their second secret, instead of asking whether runs share the machine's network. */
  isPageSecretRequired?(): boolean | Promise<boolean>;
}

export async function openApp(config: Config, options: AppOptions = {}): Promise<App> {
  const { clock = systemClock, log = createLog(config.logLevel, false), program = 'signalbox' } = options;
  const execution = await executionSettingsOf(config);
  const disk = await openDiskSpace(config, execution, log);
  const engine = await openOwnEngine(config, log);
  try {
    return await compose(config, { engine, disk, execution }, { ...options, clock, log, program });
  } catch (error) {
    await engine.close();
    throw error;
  }
}

async function compose(
  config: Config,
  { engine, disk, execution }: { engine: Engine; disk: DiskSpace; execution: ExecutionSettings },
  {
    clock,
    log,
    program,
    isPageSecretRequired,
  }: AppOptions & Required<Pick<AppOptions, 'clock' | 'log' | 'program'>>,
): Promise<App> {
  await upgradeDatabase(engine, migrations, { clock, log });
  const changes = changesOn(engine);
  await ensureAdmin(
    changes,
    {
      token: config.adminToken,
      email: config.adminEmail,
      async seed(tx) {
        for (const api of apis) await api.firstStart?.(tx);
      },
    },
    clock.now(),
  );
  if (config.adminPassword !== undefined)
    await ensurePassword(changes, engine, config.adminPassword, clock.now());
  const limits = new Limits({
    enabled: config.limits === 'on',
    quotas: quotasOf(apis, config.limit),
    exceededStatus: Number(config.hostLimitStatus),
    store: { db: engine.db, clock, isShared: engine.isShared },
  });
  await limits.load();
  // With port 0 the URL is known only once the server listens.
  let publicUrl = config.publicUrl ?? urlOf(config, config.port);
  let listeningUrl = urlOf(config, config.port);
  await recordIsolation(config, execution, log);
  const metrics = new Metrics(RELEASE);
  const eventsPerSecond = config.limits === 'on' ? config.eventsPerSecond : undefined;
  const kernel: Kernel = {
    clock,
    engine,
    db: engine.db,
    changes,
    blobs: await openBlobs(config),
    disk,
    secrets: await openSecrets(config, engine, log),
    identity: await new Identity(engine, baseRoles, [runTokens, installationTokens, appTokens]).open(),
    transferOwnership,
    endMember,
    auditedAccounts,
    services: {
      ...(await openFlagServices(
        { engine, clock, log, metrics },
        { eventsPerSecond, streams: streamLimitsOf(config) },
      )),
      ...(await openActorsServices({ engine, clock, log, settings: { execution } })),
      ...(await openHostServices(
        { engine, clock },
        {
          repositories: repositoriesFolderOf(config),
          maxPushBytes: config.maxPushBytes,
          inflation: { repositoryBytes: config.maxInflatedBytes },
        },
      )),
      // The ports between the APIs, which do not import each other.
      ownRepositories: {
        nameIn: (url) => repositoryNameIn(url, [publicUrl, listeningUrl]),
        mayRead: (repository) => maySourceBeRead(kernel, repository),
        open: (repository, options) => openSource(kernel, repository, options),
      },
      pushSubscriber: (tx, pushed, now) => schedulePushBuilds(kernel.services, tx, pushed, now),
    },
    limits,
    versionUsage: await new VersionUsage({ engine, clock }).open(),
    secondaryLimits: new SecondaryLimits(config.limits === 'on', secondaryQuotasOf(config)),
    log,
    bodyMemory: new BodyMemory(),
    metrics,
    guard: guard({ allowPrivate: config.allowPrivateWebhooks }),
    get publicUrl() {
      return publicUrl;
    },
    release: RELEASE,
    program,
    isPageSecretRequired: isPageSecretRequired ?? (() => kernel.services.networkSharing.doRunsShare()),
    settings: {
      retentionMs: config.retentionDays * 24 * 60 * 60 * 1000,
      recordBytes: config.recordBytes,
      organizationsByMembers: config.organizationsByMembers,
      execution,
    },
  };

  const server = createServer({
    log,
    ...(config.tlsCert !== undefined && {
      tls: { cert: readPem(config.tlsCert), key: readPem(config.tlsKey!) },
    }),
    ...(config.trustProxy.length > 0 && { trustProxy: config.trustProxy }),
  });
  let isClosing = false;
  let worker: Worker | undefined;
  const readiness: Readiness = {
    check: async () => ({
      database: await engine.ping().then(
        () => true,
        () => false,
      ),
      worker: config.role === 'api' || worker !== undefined,
      disk: !disk.isFull('data', 'blobs', 'repositories'),
      open: !isClosing,
    }),
    facts() {
      const { isolation, refusal } = kernel.services.runner;
      return {
        actors: {
          isolation,
          network: execution.network,
          canRun: config.role !== 'api' && refusal === undefined,
        },
        git: kernel.services.git.status().message,
        disk: disk.describe().join(' ') || 'There is room.',
      };
    },
  };
  serveOperation(server, kernel, readiness, config.metricsToken);
  if (config.role !== 'worker') {
    serveLogin(server, kernel);
    serveDocs(server, apis, kernel);
    serveImpactPages(server, apis, kernel);
    serveFlagPages(server, kernel);
    for (const api of [...apis, ...deliveryApis, ofrepApi]) serve(server, api, kernel);
  }
  // Other nodes reach those of a worker too.
  for (const api of apis) serveRaw(server, api, kernel);
  const demo = config.demo && config.role !== 'worker' ? await seedDemo(server, kernel, apis) : undefined;
  const saving = saveRegularly(kernel);
  watchDisk(kernel);

  return {
    kernel,
    createFirstSecret: () => createFirstSecret(engine, clock.now()),
    async listen({ orNext = false } = {}) {
      await server.ready();
      await reservePaths(engine.db, [
        ...server.reservedPathSegments.all(),
        ...RESERVED_NAMES,
        LIBRARY_USERNAME,
      ]);
      const url = await listenOn(server, config, orNext ? log : undefined);
      listeningUrl = url;
      publicUrl = config.publicUrl ?? url;
      if (config.role !== 'api') worker = await startBackgroundWork(kernel, apis);
      void demo?.start();
      return url;
    },
    async close(reason) {
      isClosing = true;
      for (const api of apis) api.endStreams?.(kernel);
      await demo?.stop();
      await closeServer(server);
      await worker?.stop(reason);
      await saving.stop();
      await disk.stop();
      for (const api of apis) await api.close?.(kernel);
      kernel.identity.close();
      kernel.versionUsage.close();
      await engine.close();
    },
  };
}

function readPem(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Failure('invalid', `The file ${path} for HTTPS cannot be read: ${(error as Error).message}`);
  }
}
