// The command `serve`: starts the server, says where it is, and runs until it is told to stop.
import { mkdirSync } from 'node:fs';
import { openApp, type App } from '../app.ts';
import type { Config, Settings } from '../config.ts';
import { Failure } from '../kernel/failure.ts';
import { requireAdmin } from '../kernel/identity/first-start.ts';
import { createLoginLink } from '../kernel/identity/sessions.ts';
import { createLog, type Logger } from '../kernel/log.ts';
import { RELEASE } from '../release.ts';
import { describeServer } from './banner.ts';
import { messageOf } from './failing.ts';
import { painter, type Io } from './io.ts';
import { removeRun, writeRun } from './run-file.ts';
import { waitForStop } from './stop.ts';
import { linkTo, placeOf } from './store.ts';

export async function runServe({ config }: Settings, io: Io): Promise<number> {
  makeDataFolder(config.data);
  const log = createLog(config.logLevel, io.isTerminal);
  const app = await openApp(config, { log });
  const stopped = waitForStop(log);
  toggleDebugOnSignal(log, config);
  try {
    const url = await app.listen();
    noteRun(config.data, url, app.kernel.publicUrl);
    io.out(await describe(app, config, io));
  } catch (error) {
    // It was made at this start and is kept as a hash: who does not see it now never will.
    const { madeToken } = app.firstStart;
    if (madeToken !== undefined) io.out(`The administrator's token, shown this once: ${madeToken}`);
    await close(app, config);
    throw error;
  }
  const code = await stopped;
  await close(app, config);
  log.info('stopped');
  return code;
}

/** For its owner only: what is kept here includes other people's secrets. */
function makeDataFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new Failure(
      'unavailable',
      `The data folder ${folder} cannot be made (${messageOf(error)}). Choose another with --data.`,
      { cause: error },
    );
  }
}

function noteRun(data: string, url: string, publicUrl: string): void {
  const startedAt = new Date().toISOString();
  writeRun(data, { pid: process.pid, url, publicUrl, version: RELEASE, startedAt });
}

async function close(app: App, { data }: Config): Promise<void> {
  removeRun(data, process.pid);
  await app.close();
}

/** So that a server in trouble can be asked for more without a restart that would end the trouble. */
function toggleDebugOnSignal(log: Logger, { logLevel }: Config): void {
  const usual = logLevel === 'debug' ? 'info' : logLevel;
  process.on('SIGUSR2', () => {
    log.level = log.level === 'debug' ? usual : 'debug';
    log.info({ level: log.level }, 'log level changed');
  });
}

async function describe({ kernel, firstStart }: App, config: Config, io: Io): Promise<string> {
  const { engine, clock, publicUrl } = kernel;
  const link = await createLoginLink(engine.db, await requireAdmin(engine), clock.now());
  return describeServer(
    {
      version: RELEASE,
      publicUrl,
      hasApis: config.role !== 'worker',
      loginLink: linkTo(publicUrl, link),
      madeToken: firstStart.madeToken,
      data: config.data,
      database: placeOf(config),
      pid: process.pid,
      readyMs: Math.round(performance.now()),
    },
    painter(io),
  );
}
