// Executes a run on this node: prepares its build, starts its process as often as needed, and saves how it ended.
import { join } from 'node:path';
import { Failure } from '../../kernel/failure.ts';
import { newSecret } from '../../kernel/secrets/secret.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { createWorkingFolder, prepareBuild } from '../builds/execution/prepare-build.ts';
import { findBuild } from '../builds/store.ts';
import {
  LeaseLost,
  ServerStopping,
  type Job,
  type JobContext,
  isFinished,
  reasonToGiveUp,
} from '../jobs/job.ts';
import { clearControl, deleteJob } from '../jobs/store.ts';
import { type LogWriter, openLogWriter } from '../logs/log-writer.ts';
import { publishLogEnd } from '../logs/stored-log.ts';
import { removeTree } from '../runner/remove-tree.ts';
import { explainLimit } from '../runner/runner.ts';
import {
  beginProcess,
  endRun,
  markTimingOut,
  saveUsage,
  type ProcessBegin,
  type RunEnd,
} from './run-transitions.ts';
import { type Run, type RunStats } from './model.ts';
import { programEnvironment } from './environment.ts';
import { openWebServer, reserveWebServer } from './web-server.ts';
import type { RunEvents, RunListener } from './run-listener.ts';
import { RUN_TOKEN_PREFIX } from './run-tokens.ts';
import { findRun } from './store.ts';
import { superviseProcess, type ProcessEnd, UsageSamples } from './supervise-process.ts';

/** In the work folder of a node: the working folder of each run. */
export const RUN_FOLDERS = 'runs';

interface RunNode {
  events: RunEvents;
  listener(): Promise<RunListener>;
}

/** With more restarts than this within the time, the Actor's own error ends the run. */
const MAX_RESTARTS = 3;
const RESTART_MS = 60_000;
/** A run that makes this many nodes fail is given up. */
const MAX_CLAIMS_AFTER_ERROR = 5;

export async function executeRun(
  kernel: Kernel,
  node: RunNode,
  job: Job,
  context: JobContext,
): Promise<void> {
  const run = await findRun(kernel.db, job.id);
  if (run === undefined || isFinished(run.status)) {
    await deleteJob(kernel.db, job);
    return;
  }
  const { work } = kernel.settings.execution;
  const folder = join(work, RUN_FOLDERS, job.id);
  const log = await openLogWriter(kernel, { id: job.id, folder: join(work, 'logs') });
  const execution: Execution = { kernel, node, job, context, folder, log };
  try {
    const end = await execute(execution).catch((error: unknown) => failedEnd(error, job));
    await log.close();
    // Its process calls this node: those who hear of the end find all of its calls.
    await kernel.services.runCalls.save();
    if (end === 'elsewhere') return;
    if (!(await endRun(kernel, job, end))) return;
    await publishLogEnd(kernel, job.id);
  } finally {
    await removeTree(folder);
  }
}

interface Execution {
  kernel: Kernel;
  node: RunNode;
  job: Job;
  context: JobContext;
  folder: string;
  log: LogWriter;
}

/** An error of ours is tried again on another node; a run that cannot be started says why. */
function failedEnd(error: unknown, { claims }: Job): RunEnd | 'elsewhere' {
  if (error instanceof LeaseLost || error instanceof ServerStopping) return 'elsewhere';
  const isExpected = error instanceof Failure && error.kind !== 'internal' && error.kind !== 'unavailable';
  if (!isExpected && claims < MAX_CLAIMS_AFTER_ERROR) throw error;
  const reason = isExpected ? error.message : 'an internal error of the server';
  return { code: null, message: `The Actor could not be started: ${reason}` };
}

async function execute(execution: Execution): Promise<RunEnd | 'elsewhere'> {
  const { kernel, job, log, context } = execution;
  const { runner } = kernel.services;
  const givenUp = reasonToGiveUp(job);
  if (givenUp !== undefined) {
    log.write(`ACTOR: ${givenUp}`);
    return { code: null, message: givenUp };
  }
  if (runner.refusal !== undefined) return { code: null, message: runner.refusal };
  for (const warning of runner.warnings) log.write(`WARN: ${warning}`);
  const restarts: number[] = [];
  let begin: ProcessBegin = 'first';
  for (;;) {
    // A process may ask for a reboot when it hears that the server stops.
    if (context.signal.aborted) return 'elsewhere';
    const token = newSecret(RUN_TOKEN_PREFIX);
    const run = await beginProcess(kernel, job, token.hash, begin);
    if (run === undefined) return { code: null };
    let finished: FinishedProcess;
    try {
      finished = await runProcess(execution, run, token.value);
    } finally {
      kernel.identity.forgetToken(token.value);
      execution.node.events.close(job.id);
    }
    const { end, usage, retirement } = finished;
    switch (end.kind) {
      case 'retired':
        return { ...retirement!, usage };
      case 'lost':
        return 'elsewhere';
      case 'stopped':
        await saveUsage(kernel, job, usage);
        return 'elsewhere';
      case 'rebooted':
        await saveUsage(kernel, job, usage);
        await clearControl(kernel.db, job, 'reboot');
        begin = 'reboot';
        break;
      case 'metamorphosed':
        await saveUsage(kernel, job, usage);
        await clearControl(kernel.db, job, 'metamorph');
        begin = 'metamorph';
        break;
      case 'exited': {
        const now = kernel.clock.now();
        restarts.push(now);
        const recent = restarts.filter((at) => now - at < RESTART_MS).length;
        const mayRestart = run.options.restartOnError && end.exit.exceeded !== 'full-disk';
        const isRestarted = mayRestart && end.exit.code !== 0 && recent <= MAX_RESTARTS;
        if (!isRestarted || (await isEnding(kernel, job.id))) return { ...endOf(end), usage };
        await saveUsage(kernel, job, usage);
        log.write(`ACTOR: Restarting after ${describeExit(end)}.`);
        begin = 'restart';
        break;
      }
      default:
        return { ...endOf(end), usage };
    }
  }
}

function endOf({ kind, exit }: ProcessEnd): RunEnd {
  const { code, exceeded } = exit;
  if (exceeded === undefined || kind !== 'exited') return { code };
  const message = `The Actor was stopped because ${explainLimit(exceeded, 'the run')}`;
  return { code, message, ...(exceeded === 'full-disk' && { isAborted: true }) };
}

function describeExit({ exit }: ProcessEnd): string {
  return exit.code === null ? 'a signal' : `exit code ${exit.code}`;
}

async function isEnding({ db }: Kernel, id: string): Promise<boolean> {
  const run = await findRun(db, id);
  return run === undefined || run.status === 'ABORTING';
}

/** How the run ends, or goes on, before its process has started. */
class Interruption extends Error {
  readonly kind: 'aborted' | 'rebooted' | 'metamorphosed' | 'timed-out';

  constructor(kind: Interruption['kind']) {
    super('The process is not to start.');
    this.kind = kind;
  }
}

const TIMEOUT_CHECK_MS = 1000;

/** How often what a run uses now is saved for those who look at it. */
const USAGE_SAVE_MS = 5000;

/** Installing packages may take long, or hang: what callers want and the time-out do not wait for it. */
async function prepareUnlessEnded<T>(
  { kernel, job, context }: Execution,
  { timeoutAt }: Run,
  prepare: (signal: AbortSignal) => Promise<T>,
): Promise<T | ProcessEnd> {
  const interrupted = new AbortController();
  const interrupt = (kind: Interruption['kind']) => interrupted.abort(new Interruption(kind));
  const ignore = context.onControl((control) => {
    if (control === 'metamorph') interrupt('metamorphosed');
    else interrupt(control === 'reboot' ? 'rebooted' : 'aborted');
  });
  const timer = setInterval(() => {
    if (timeoutAt !== null && kernel.clock.now() >= timeoutAt) interrupt('timed-out');
  }, TIMEOUT_CHECK_MS).unref();
  const signal = AbortSignal.any([context.signal, interrupted.signal]);
  try {
    // Raced, because it may wait for an installation of another run.
    return await Promise.race([prepare(signal), rejectOnAbort(signal)]);
  } catch (error) {
    const reason: unknown = signal.aborted ? signal.reason : error;
    if (!(reason instanceof Interruption)) throw reason;
    if (reason.kind === 'timed-out') await markTimingOut(kernel, job);
    return { kind: reason.kind, exit: { code: null } };
  } finally {
    clearInterval(timer);
    ignore();
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  if (signal.aborted) reject(signal.reason as Error);
  else signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  return promise;
}

interface FinishedProcess {
  end: ProcessEnd;
  /** How the run ends, where its process was not needed any more. */
  retirement?: RunEnd;
  usage: Partial<RunStats>;
}

async function runProcess(execution: Execution, run: Run, token: string): Promise<FinishedProcess> {
  const { kernel, node, job, context, log } = execution;
  const { clock, services, settings } = kernel;
  const build = await findBuild(kernel.db, run.buildId);
  if (build === undefined) throw new Failure('not-found', `the build ${run.buildNumber} is gone`);
  const prepared = await prepareUnlessEnded(execution, run, (signal) =>
    prepareBuild(kernel, build, log, signal),
  );
  if ('kind' in prepared) return { end: prepared, usage: {} };
  const folder = join(execution.folder, 'actor');
  await removeTree(folder);
  await createWorkingFolder(prepared, folder);
  node.events.open(job.id);
  const listener = await node.listener();
  const web = await reserveWebServer(kernel, job.id);
  const env = await programEnvironment(kernel, run, build, { token, listener, web });
  context.signal.throwIfAborted();
  // Clients take an empty log for none.
  const ofOwn = settings.execution.network === 'private' ? ' with a network of its own' : '';
  log.write(`ACTOR: Starting build ${run.buildNumber}${ofOwn}.`);
  const program = await services.runner.start({
    id: job.id,
    command: prepared.command,
    env: { HOME: folder, LANG: 'C.UTF-8', ...prepared.env, ...env },
    folder,
    readable: [...prepared.readable, ...(web.guard === undefined ? [] : [web.guard])],
    output: log.file,
    memoryMbytes: run.options.memoryMbytes,
    diskMbytes: run.options.diskMbytes,
    network: settings.execution.network,
    bridges: listener.bridges,
    ...(web.inboundSocket && { inboundSocket: web.inboundSocket }),
    hasNodePermissions: true,
  });
  const server = openWebServer(kernel, run, web, program);
  const samples = new UsageSamples(run.options.memoryMbytes, clock.now(), run.stats);
  const startedAt = clock.now();
  let savedAt = startedAt;
  const supervision = superviseProcess({
    program,
    signal: context.signal,
    onControl: (obey) =>
      context.onControl((control) => {
        server?.end();
        obey(control);
      }),
    isRetired: () => server?.retire() !== undefined,
    isTimedOut: () => run.timeoutAt !== null && clock.now() >= run.timeoutAt,
    onTimeout: () => markTimingOut(kernel, job),
    send: (name, data) => node.events.send(job.id, name, data, clock.now()),
    onSample(usage) {
      const now = clock.now();
      samples.add(usage, now);
      node.events.send(job.id, 'systemInfo', samples.systemInfo(now), now);
      if (now - savedAt < USAGE_SAVE_MS) return;
      savedAt = now;
      // The end saves it anyway; a reader of the run gets the next sample meanwhile.
      saveUsage(kernel, job, samples.stats(now)).catch((error: unknown) =>
        kernel.log.debug({ err: error, run: job.id }, 'cannot save what a run uses'),
      );
    },
  });
  const end = await supervision.finally(() => {
    if (server !== undefined) services.webServers.close(server);
    web.release();
  });
  const usage = { ...samples.stats(clock.now()), runTimeMs: clock.now() - startedAt };
  return { end, usage, ...(server?.retirement && { retirement: server.retirement }) };
}
