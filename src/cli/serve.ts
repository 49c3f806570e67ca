// The command `serve`: starts the server, announces it, and runs until a signal stops it.
import { openApp, type App } from '../app/app.ts';
import type { Config } from '../app/config.ts';
import type { LoadedSettings } from '../app/read-settings.ts';
import type { StopReason } from '../kernel/jobs/due-worker.ts';
import { Failure } from '../kernel/failure.ts';
import { requireAdmin } from '../kernel/identity/first-start.ts';
import { insertLoginLink } from '../kernel/identity/sessions/store-login-links.ts';
import { createLog, type Logger } from '../kernel/observability/log.ts';
import { createPrivateFolder } from '../kernel/storage/disk/private-files.ts';
import { RELEASE } from '../app/release.ts';
import { describeServer, reportServer, type ServerFacts } from './banner.ts';
import { EXIT, messageOf } from './command-errors.ts';
import { painter, type Io } from './io.ts';
import { removeRunFile, saveRunFile } from './running-server.ts';
import { reportSettings } from '../app/report-settings.ts';
import { loginUrl, describeDatabase } from './open-database.ts';
import { bundleLater } from './start-bundle.ts';
import { waitForStop } from './stop.ts';

export async function runServe(settings: LoadedSettings, io: Io): Promise<number> {
  const { config, sources } = settings;
  makeDataFolder(config.data);
  const log = createLog(config.logLevel, io.isTerminal);
  const app = await openApp(config, { log, program: io.program, sources });
  const stopped = waitForStop(log);
  toggleDebugOnSignal(log, config);
  try {
    const url = await app.listen({ orNext: sources.port === 'default' });
    writeRunFile(settings, url, app.kernel.publicUrl);
    await announce(app, url, config, io);
    if (config.role !== 'worker') app.kernel.services.console.build(log);
    bundleLater(log);
  } catch (error) {
    await close(app, config);
    throw error;
  }
  const code = await stopped;
  await close(app, config, code === EXIT.good ? 'orderly' : 'failure');
  log.info('stopped');
  return code;
}

function makeDataFolder(folder: string): void {
  try {
    createPrivateFolder(folder);
  } catch (error) {
    throw new Failure(
      'unavailable',
      `The data folder ${folder} cannot be made (${messageOf(error)}). Choose another with --data.`,
      { cause: error },
    );
  }
}

function writeRunFile(settings: LoadedSettings, url: string, publicUrl: string): void {
  saveRunFile(settings.config.data, {
    pid: process.pid,
    url,
    publicUrl,
    version: RELEASE,
    startedAt: new Date().toISOString(),
    settings: {
      ...Object.fromEntries(reportSettings(settings).map(({ name, value }) => [name, value])),
      // The actual port: the setting may be 0, or taken.
      port: new URL(url).port || String(settings.config.port),
    },
  });
}

async function close(app: App, { data }: Config, reason?: StopReason): Promise<void> {
  removeRunFile(data, process.pid);
  await app.close(reason);
}

/** Debug logging without a restart, which could hide the problem. */
function toggleDebugOnSignal(log: Logger, { logLevel }: Config): void {
  const usual = logLevel === 'debug' ? 'info' : logLevel;
  process.on('SIGUSR2', () => {
    log.level = log.level === 'debug' ? usual : 'debug';
    log.info({ level: log.level }, 'log level changed');
  });
}

/** In a pipe this is one log line at any log level, because programs read it. */
async function announce(
  { kernel, createFirstSecret }: App,
  url: string,
  config: Config,
  io: Io,
): Promise<void> {
  const { engine, clock, log, publicUrl, services } = kernel;
  const { refusal, description } = services.runner;
  const loginLink = io.isTerminal
    ? loginUrl(publicUrl, await insertLoginLink(engine.db, await requireAdmin(engine), clock.now()))
    : '';
  const facts: ServerFacts = {
    version: RELEASE,
    url,
    publicUrl,
    role: config.role,
    data: config.data,
    database: describeDatabase(config),
    actors: config.role === 'api' ? undefined : (refusal ?? description),
    pid: process.pid,
    readyMs: Math.round(performance.now()),
    loginCommand: `${io.program} status --login`,
    // Last, so that nothing can fail between creating the token and showing it.
    newToken: await createFirstSecret(),
  };
  if (io.isTerminal) io.out(describeServer(facts, loginLink, painter(io)));
  else log.child({}, { level: 'info' }).info(reportServer(facts), 'listening');
}
