// Opens the services of the kernel and of the three APIs, and joins the APIs where one needs another.
import { schedulePushBuilds } from '../actors/builds/build-on-push.ts';
import type { ExecutionSettings } from '../actors/jobs/settings.ts';
import { RunCalls } from '../actors/runs/run-calls.ts';
import { RunFlags } from '../actors/runs/run-flags.ts';
import { openRunTokens } from '../actors/runs/run-tokens.ts';
import { openActorsServices } from '../actors/services.ts';
import { openFlagServices } from '../flags/services.ts';
import { openAppTokens } from '../host/apps/app-tokens.ts';
import { installationTokens } from '../host/apps/installation-tokens.ts';
import { openHostServices } from '../host/services.ts';
import { maySourceBeRead, openSource, repositoryNameIn } from '../host/sources/open-source.ts';
import { holdBlobs } from '../kernel/backup/hold-blobs.ts';
import type { Changes } from '../kernel/change/changes.ts';
import type { Clock } from '../kernel/clock.ts';
import { ContentOrigin } from '../kernel/http/content-origin.ts';
import { BodyMemory } from '../kernel/http/body/body-memory.ts';
import { KeptReplies } from '../kernel/http/reply/kept-replies.ts';
import { Identity } from '../kernel/identity/identity.ts';
import { TokenUseCounter } from '../kernel/identity/token-uses/token-uses.ts';
import type { Retained } from '../kernel/jobs/retention.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { Limits } from '../kernel/limits/limits.ts';
import { SecondaryLimits, type SecondaryQuotas } from '../kernel/limits/secondary-limits.ts';
import { guard } from '../kernel/network/guard.ts';
import type { Logger } from '../kernel/observability/log.ts';
import { Metrics } from '../kernel/observability/metrics.ts';
import type { DiskSpace } from '../kernel/storage/disk/disk-space.ts';
import type { Engine } from '../kernel/storage/engine.ts';
import { VersionUsage } from '../kernel/versions/usage/version-usage.ts';
import { openServerBackups } from './backup/server-backups.ts';
import { apis, auditedAccounts, baseRoles, endMember, transferOwnership } from './apis.ts';
import { SETTING_NAMES, type Config } from './config.ts';
import { recordIsolation } from './execution-settings.ts';
import { openBlobs, repositoriesFolderOf } from './data-places.ts';
import { dataFoldersOf, openSecrets } from './open-stores.ts';
import type { SettingSources } from './read-settings.ts';
import { RELEASE } from './release.ts';
import { settingsInForce } from './report-settings.ts';
import type { SettingInForce } from '../signalbox/system/settings-model.ts';
import type { ProviderSettings } from '../signalbox/external-login/provider.ts';
import { openSignalboxServices } from '../signalbox/services.ts';
import type { StreamLimits } from '../flags/delivery/sdk-streams.ts';
import { Failure } from '../kernel/failure.ts';
import { LOGIN_QUOTAS } from '../kernel/http/pages/login-quotas.ts';
import type { Quota } from '../kernel/limits/window.ts';
import { DOCS_CATEGORY } from '../kernel/http/pages/session-pages.ts';
import { DOCS_QUOTA } from '../kernel/openapi/serve-docs.ts';

/** What a kernel is made of: opened before it, and closed after it. */
export interface Ground {
  engine: Engine;
  changes: Changes;
  disk: DiskSpace;
  execution: ExecutionSettings;
  clock: Clock;
  log: Logger;
  program: string;
  /** Where the server is reached; with port 0 that is known only once it listens. */
  urls: { public: string; listening: string };
  sources: Partial<SettingSources>;
  isPageSecretRequired?: (() => boolean | Promise<boolean>) | undefined;
}

export async function openKernel(config: Config, ground: Ground): Promise<Kernel> {
  const { engine, changes, disk, execution, clock, log, program, urls, sources, isPageSecretRequired } =
    ground;
  const limits = new Limits({
    enabled: config.limits === 'on',
    quotas: quotasOf(config.limit),
    exceededStatus: Number(config.hostLimitStatus),
    store: { db: engine.db, clock, isShared: engine.isShared },
  });
  await limits.load();
  await recordIsolation(config, execution, log);
  const metrics = new Metrics(RELEASE);
  const outgoing = guard({ allowPrivate: config.allowPrivateWebhooks });
  const eventsPerSecond = config.limits === 'on' ? config.eventsPerSecond : undefined;
  const runCalls = new RunCalls({ db: engine.db, log });
  const runFlags = new RunFlags({ db: engine.db, log });
  const secrets = await openSecrets(config, engine, { log, clock });
  const kernel: Kernel = {
    clock,
    engine,
    db: engine.db,
    changes,
    blobs: holdBlobs(await openBlobs(config), {
      db: engine.db,
      clock,
      isSwept: (key) => apis.some((api) => api.blobKinds?.some(({ prefix }) => key.startsWith(prefix))),
    }),
    disk,
    secrets,
    identity: await new Identity(engine, baseRoles, [
      openRunTokens(runCalls),
      installationTokens,
      openAppTokens(),
    ]).open(),
    tokenUses: new TokenUseCounter(engine.db, log),
    transferOwnership,
    endMember,
    auditedAccounts,
    services: {
      ...(await openFlagServices(
        { engine, clock, log, metrics },
        { eventsPerSecond, streams: streamLimitsOf(config) },
      )),
      ...(await openActorsServices({ engine, clock, log, settings: { execution } })),
      runCalls,
      runFlags,
      ...(await openHostServices(
        { engine, clock },
        {
          repositories: repositoriesFolderOf(config),
          maxPushBytes: config.maxPushBytes,
          inflation: { repositoryBytes: config.maxInflatedBytes },
        },
      )),
      ...(await openSignalboxServices(
        { engine, clock, log, metrics, guard: outgoing },
        { apis, provider: loginProviderOf(config) },
      )),
      backups: openServerBackups(config, { engine, clock, log }),
      // The ports between the APIs, which do not import each other.
      ownRepositories: {
        nameIn: (url) => repositoryNameIn(url, [urls.public, urls.listening]),
        mayRead: (repository) => maySourceBeRead(kernel, repository),
        open: (repository, options) => openSource(kernel, repository, options),
      },
      flagReaders: runFlags,
      pushSubscriber: (tx, pushed, now) => schedulePushBuilds(kernel.services, tx, pushed, now),
    },
    limits,
    versionUsage: await new VersionUsage({ engine, clock }).open(),
    secondaryLimits: new SecondaryLimits(config.limits === 'on', secondaryQuotasOf(config)),
    log,
    bodyMemory: new BodyMemory(),
    keptReplies: new KeptReplies(engine),
    metrics,
    guard: outgoing,
    get publicUrl() {
      return urls.public;
    },
    contentOrigin:
      config.contentUrl === undefined
        ? undefined
        : new ContentOrigin(config.contentUrl, { secrets, publicUrl: () => urls.public }),
    release: RELEASE,
    program,
    isPageSecretRequired: isPageSecretRequired ?? (() => kernel.services.networkSharing.doRunsShare()),
    settings: {
      retentionMs: config.retentionDays * 24 * 60 * 60 * 1000,
      retained: retainedOf(config),
      dataFolders: dataFoldersOf(config, execution),
      recordBytes: config.recordBytes,
      passwordLength: config.passwordLength,
      organizationsByMembers: config.organizationsByMembers,
      execution,
      inForce: () => inForceOf(config, sources, urls.listening),
      ...externalLoginOf(config),
    },
  };
  return kernel;
}

function loginProviderOf(config: Config): ProviderSettings | undefined {
  const { oidcIssuer, oidcClientId, oidcClientSecret, oidcName } = config;
  if (oidcIssuer === undefined || oidcClientId === undefined || oidcClientSecret === undefined)
    return undefined;
  return {
    issuer: oidcIssuer,
    clientId: oidcClientId,
    clientSecret: oidcClientSecret,
    name: oidcName ?? new URL(oidcIssuer).host,
  };
}

function externalLoginOf(config: Config): Pick<Kernel['settings'], 'externalLogin'> {
  const { name } = loginProviderOf(config) ?? {};
  const { oidcNewMembers: newMembers } = config;
  return name === undefined ? {} : { externalLogin: { name, ...(newMembers !== 'off' && { newMembers }) } };
}

function retainedOf(config: Config): Readonly<Record<Retained, number>> {
  const msOf = (days: number) => (days === 0 ? Infinity : days * 24 * 60 * 60 * 1000);
  return {
    audit: msOf(config.auditDays),
    deliveries: msOf(config.deliveryDays),
    events: msOf(config.eventDays),
    evaluations: msOf(config.evaluationDays),
    runCalls: msOf(config.runCallsDays),
    usage: msOf(config.usageDays),
  };
}

function inForceOf(config: Config, sources: Partial<SettingSources>, listening: string): SettingInForce[] {
  const all = Object.fromEntries(
    SETTING_NAMES.map((name) => [name, sources[name] ?? 'default']),
  ) as SettingSources;
  return settingsInForce({ config, sources: all }, new URL(listening).port || String(config.port));
}

/** The defaults of each API and of the login, overridden by the settings; an unknown name is an error. */
function quotasOf(limit: Config['limit']): Record<string, Quota> {
  const usual = apis.flatMap(({ protocol }) =>
    Object.entries(protocol.limits.quotas).map(
      ([category, quota]) => [`${protocol.name}.${category}`, quota] as const,
    ),
  );
  const all: Record<string, Quota> = {
    ...Object.fromEntries(usual),
    ...LOGIN_QUOTAS,
    [DOCS_CATEGORY]: DOCS_QUOTA,
  };
  for (const name of Object.keys(limit)) {
    if (all[name] === undefined) {
      throw new Failure('invalid', `There is no quota "${name}". There are: ${Object.keys(all).join(', ')}.`);
    }
  }
  return { ...all, ...limit };
}

function secondaryQuotasOf(config: Config): SecondaryQuotas {
  return {
    concurrent: config.secondaryLimitConcurrent,
    pointsPerMinute: { rest: config.secondaryLimitPoints, graphql: config.secondaryLimitGraphql },
    contentPerMinute: config.secondaryLimitContentMinute,
    contentPerHour: config.secondaryLimitContentHour,
  };
}

function streamLimitsOf(config: Config): StreamLimits {
  return {
    perAddress: config.streamsPerAddress,
    perEnvironment: config.streamsPerEnvironment,
    perNode: config.streamsPerNode,
    heartbeatSeconds: config.streamHeartbeat,
  };
}
