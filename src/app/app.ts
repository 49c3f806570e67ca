// The composition root: builds the engine, the kernel's services and the three APIs on one server from the settings.
import type { FastifyInstance } from 'fastify';
import type { ExecutionSettings } from '../actors/jobs/settings.ts';
import { deliveryApis } from '../flags/delivery/api.ts';
import { ofrepApi } from '../flags/ofrep/api.ts';
import { serveConsole } from '../signalbox/console/serve-console.ts';
import { docsSiteOf } from '../signalbox/guides/docs-site.ts';
import { watchSystem } from '../signalbox/system/watch-system.ts';
import { serveGuides } from '../signalbox/guides/serve-guides.ts';
import { RESERVED_NAMES } from '../host/owners/model.ts';
import { ENTERPRISE_PREFIX } from '../host/site.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import { Failure } from '../kernel/failure.ts';
import { serveExternalLogin } from '../signalbox/external-login/serve-external-login.ts';
import { serveLogin } from '../kernel/http/pages/login.ts';
import { checkContentUrl } from '../kernel/http/content-origin.ts';
import { serveRaw } from '../kernel/http/serve-raw.ts';
import { serve } from '../kernel/http/serve.ts';
import { publicPathOf } from '../kernel/http/public-path.ts';
import { listenOn, urlOf } from '../kernel/http/server/listen.ts';
import { closeServer, createServer, serveOperation, type Readiness } from '../kernel/http/server/server.ts';
import { createFirstSecret, ensureAdmin, ensurePassword } from '../kernel/identity/first-start.ts';
import { findNameHolder, LIBRARY_USERNAME, reservePaths } from '../kernel/identity/store-reserved-names.ts';
import type { StopReason, Worker } from '../kernel/jobs/due-worker.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { createLog, type Logger } from '../kernel/observability/log.ts';
import { serveDocs } from '../kernel/openapi/serve-docs.ts';
import { serveImpactPages } from '../kernel/openapi/upgrade-report/page.ts';
import type { DiskSpace } from '../kernel/storage/disk/disk-space.ts';
import type { Engine } from '../kernel/storage/engine.ts';
import { apis, changesOn } from './apis.ts';
import { startBackgroundWork, startOwnWork, saveRegularly } from './background-work.ts';
import type { Config } from './config.ts';
import { demoWork } from './demo-work.ts';
import { refuseHalfRestored } from './backup/half-restored.ts';
import { waitForResume, type WaitingStart } from './backup/paused-start.ts';
import { executionSettingsOf } from './execution-settings.ts';
import { openDiskSpace, watchDisk, openOwnEngine } from './open-stores.ts';
import { openKernel } from './open-kernel.ts';
import { keepKeysFresh, sweepWork } from './secret-rotation.ts';
import type { SettingSources } from './read-settings.ts';
import { requireUpgraded, upgradeDatabase } from './upgrade.ts';
import { readTlsFiles, watchCertificate } from './tls-files.ts';

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
  /** Where each setting comes from; all are defaults where nothing is said. */
  sources?: Partial<SettingSources>;
  /** Whether sessions need their second secret, instead of asking whether runs share the machine's network. */
  isPageSecretRequired?(): boolean | Promise<boolean>;
}

export async function openApp(config: Config, options: AppOptions = {}): Promise<App> {
  const { clock = systemClock, log = createLog(config.logLevel, false), program = 'signalbox' } = options;
  refuseHalfRestored(config.data, program);
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
    sources = {},
    isPageSecretRequired,
  }: AppOptions & Required<Pick<AppOptions, 'clock' | 'log' | 'program'>>,
): Promise<App> {
  const tls =
    config.tlsCert === undefined ? undefined : readTlsFiles(config.tlsCert, config.tlsKey!, clock.now());
  if (config.migrate) await upgradeDatabase(engine, config, { clock, log, program });
  else await requireUpgraded(engine, program);
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
  // With port 0 the URL is known only once the server listens.
  const listening = urlOf(config, config.port);
  const urls = { public: config.publicUrl ?? listening, listening };
  if (config.contentUrl !== undefined) checkContentUrl(config.contentUrl, urls.public);
  const ground = {
    engine,
    changes,
    disk,
    execution,
    clock,
    log,
    program,
    urls,
    sources,
    isPageSecretRequired,
  };
  const kernel = await openKernel(config, ground);

  const publicPath = publicPathOf(urls.public);
  const server = createServer({
    log,
    publicPath,
    content: kernel.contentOrigin,
    ...(tls !== undefined && { tls }),
    ...(config.trustProxy.length > 0 && { trustProxy: config.trustProxy }),
  });
  let isClosing = false;
  let worker: Worker | undefined;
  let paused: WaitingStart | undefined;
  const readiness = readinessOf(kernel, execution, {
    hasWorker: () => config.role === 'api' || worker !== undefined || paused !== undefined,
    canRun: config.role !== 'api',
    isOpen: () => !isClosing,
  });
  serveOperation(server, kernel, readiness, config.metricsToken);
  if (config.role !== 'worker') {
    serveLogin(server, kernel);
    serveExternalLogin(server, kernel);
    const docs = docsSiteOf(apis);
    serveDocs(server, docs, kernel);
    serveGuides(server, docs, kernel);
    serveImpactPages(server, apis, kernel);
    serveConsole(server, kernel);
    for (const api of [...apis, ...deliveryApis, ofrepApi]) serve(server, api, kernel);
  }
  // Other nodes reach those of a worker too.
  for (const api of apis) serveRaw(server, api, kernel);
  const [, firstWord] = publicPath.split('/');
  if (firstWord !== undefined) await refuseTakenPath(server, engine, publicPath, firstWord);
  // A node that answers no calls cannot make them.
  const demo = config.role === 'worker' ? undefined : demoWork(server, kernel);
  if (config.demo) await demo?.seed();
  const saving = saveRegularly(kernel);
  const keys = await keepKeysFresh(kernel);
  watchDisk(kernel);
  watchSystem(kernel);
  if (tls !== undefined) watchCertificate(kernel.metrics, tls);

  return {
    kernel,
    createFirstSecret: () => createFirstSecret(engine, clock.now()),
    async listen({ orNext = false } = {}) {
      await server.ready();
      await reservePaths(engine.db, [
        ...server.reservedPathSegments.all(),
        ...RESERVED_NAMES,
        LIBRARY_USERNAME,
        ...(firstWord === undefined ? [] : [firstWord]),
      ]);
      const url = await listenOn(server, config, orNext ? log : undefined);
      urls.listening = url;
      urls.public = config.publicUrl ?? url;
      const start = async () => {
        if (config.role === 'api') worker = await startOwnWork(kernel, demo!);
        else worker = await startBackgroundWork(kernel, apis, [demo ?? {}, sweepWork(kernel)]);
        demo?.start();
      };
      paused = await waitForResume(kernel, start);
      if (paused === undefined) await start();
      return url;
    },
    async close(reason) {
      isClosing = true;
      for (const api of apis) api.endStreams?.(kernel);
      await paused?.stop();
      await demo?.stop();
      await closeServer(server);
      await worker?.stop(reason);
      await saving.stop();
      await keys.stop();
      await disk.stop();
      for (const api of apis) await api.close?.(kernel);
      kernel.identity.close();
      kernel.versionUsage.close();
      await engine.close();
    },
  };
}

/**
 * A proxy may take the path off, or leave it: nothing that this server has at its root may begin with it, neither an API nor the
 * pages of an account.
 */
async function refuseTakenPath(
  server: FastifyInstance,
  { db }: Engine,
  publicPath: string,
  word: string,
): Promise<void> {
  await server.ready();
  if (server.reservedPathSegments.has(word) || publicPath.endsWith(ENTERPRISE_PREFIX))
    throw new Failure(
      'invalid',
      `The path ${publicPath} of --public-url is one of this server's own. Choose another, for example /box.`,
    );
  const holder = await findNameHolder(db, word);
  if (holder !== undefined && holder !== 'path')
    throw new Failure(
      'invalid',
      `The path ${publicPath} of --public-url begins with the name of an account. Rename the account, or choose another path.`,
    );
}

interface NodeState {
  /** Whether work that waits is done, here or, for a node without that role, by others. */
  hasWorker(): boolean;
  canRun: boolean;
  isOpen(): boolean;
}

/** What /readyz says of this node. */
function readinessOf(
  { engine, disk, services }: Kernel,
  execution: ExecutionSettings,
  node: NodeState,
): Readiness {
  return {
    check: async () => ({
      database: await engine.ping().then(
        () => true,
        () => false,
      ),
      worker: node.hasWorker(),
      disk: !disk.isFull('data', 'blobs', 'repositories'),
      open: node.isOpen(),
    }),
    facts() {
      const { isolation, refusal } = services.runner;
      return {
        actors: {
          isolation,
          network: execution.network,
          canRun: node.canRun && refusal === undefined,
        },
        git: services.git.status().message,
        disk: disk.describe().join(' ') || 'There is room.',
      };
    },
  };
}
