// The runs of one program in standby mode: gives each request a run that is ready and has room, and starts and ends runs as requests come.
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../kernel/clock.ts';
import type { Logger } from '../../kernel/observability/log.ts';
import { openHttpRequest } from '../../kernel/network/open-request.ts';
import type { Run } from '../runs/model.ts';
import type { RunEnd } from '../runs/run-transitions.ts';
import { type WebServer, SECRET_HEADER } from '../runs/web-server.ts';
import { noWebServer, tooManyWaiting, webServerTimedOut, type PoolSettings } from './model.ts';
import { PROBE_HEADER } from './message-heads.ts';

const RETRY_START_MS = 1000;

export interface PoolContext {
  clock: Clock;
  log: Logger;
  /** How long a run may take until it answers, and a request may wait. */
  readyMs: number;
  maxWaiting: number;
  /** Called when a program has answered for the first time. */
  onReady(server: WebServer): void;
}

/** Whose runs of which program. */
export type PoolKey = Pick<Run, 'userId' | 'actorId' | 'taskId'>;

/** Starts a run and returns its id. */
export type StartRun = () => Promise<string>;

interface PooledRun {
  id: string;
  /** Absent while its process is not there. */
  server: WebServer | undefined;
  /** Since when it has no requests. */
  idleSince: number;
  wasReady: boolean;
}

interface WaitingRequest {
  resolve(server: WebServer): void;
  reject(error: Error): void;
  start: StartRun;
  until: number;
}

export class StandbyPool {
  readonly #context: PoolContext;
  readonly #runs = new Map<string, PooledRun>();
  readonly #waiting = new Set<WaitingRequest>();
  /** Runs that are asked for and have no id yet. */
  #starting = 0;
  #failedAt = -Infinity;
  #settings: PoolSettings;

  constructor(context: PoolContext, settings: PoolSettings) {
    this.#context = context;
    this.#settings = settings;
  }

  get isEmpty(): boolean {
    return this.#runs.size === 0 && this.#waiting.size === 0 && this.#starting === 0;
  }

  /** Ids of runs whose process is not there: they may have ended. */
  get absent(): string[] {
    return [...this.#runs.values()].filter(({ server }) => server === undefined).map(({ id }) => id);
  }

  /** Waits for a run with room, where the request is then counted. The settings are those of now, for all runs. */
  async acquire(settings: PoolSettings, start: StartRun, signal: AbortSignal): Promise<WebServer> {
    this.#settings = settings;
    for (const { server } of this.#runs.values()) if (server) server.maxRequests = settings.maxRequests;
    const waiting = this.#waiting.size;
    if (waiting >= this.#context.maxWaiting) throw tooManyWaiting(waiting);
    return await this.#wait(start, signal);
  }

  #wait(start: StartRun, signal: AbortSignal): Promise<WebServer> {
    const { promise, resolve, reject } = Promise.withResolvers<WebServer>();
    const { clock, readyMs } = this.#context;
    const request: WaitingRequest = { resolve, reject, start, until: clock.now() + readyMs };
    this.#waiting.add(request);
    const abandon = () => {
      if (this.#waiting.delete(request)) reject(noWebServer('The client went away.'));
    };
    if (signal.aborted) abandon();
    else signal.addEventListener('abort', abandon, { once: true });
    this.#grow(start);
    this.#serveWaiting();
    return promise.finally(() => signal.removeEventListener('abort', abandon));
  }

  #serveWaiting(): void {
    for (const request of this.#waiting) {
      const server = this.#choose();
      if (server === undefined) return;
      this.#waiting.delete(request);
      // At once, so that the next one sees it.
      server.enter();
      request.resolve(server);
    }
  }

  /** The fullest one below the desired number, so that the others become idle; else the one with the most room. */
  #choose(): WebServer | undefined {
    let below: WebServer | undefined;
    let above: WebServer | undefined;
    for (const { server } of this.#runs.values()) {
      if (!server?.isReady || server.isEnding || server.isFull) continue;
      if (server.requests < this.#settings.desiredRequests) {
        if (below === undefined || server.requests > below.requests) below = server;
      } else if (above === undefined || server.requests < above.requests) above = server;
    }
    return below ?? above;
  }

  /** Starts as many runs as the requests need at the desired number for each. */
  #grow(start: StartRun): void {
    const usable = [...this.#runs.values()].filter(({ server }) => server?.isEnding !== true);
    const requests = usable.reduce((sum, { server }) => sum + (server?.requests ?? 0), this.#waiting.size);
    const needed = Math.ceil(requests / this.#settings.desiredRequests);
    // With other runs there, a quota that is used up is not asked about with every request.
    const isHopeless = usable.length > 0 && this.#context.clock.now() - this.#failedAt < RETRY_START_MS;
    if (isHopeless) return;
    for (let count = usable.length + this.#starting; count < needed; count += 1) this.#startOne(start);
  }

  #startOne(start: StartRun): void {
    this.#starting += 1;
    void start().then(
      (id) => {
        this.#starting -= 1;
        // Its process may be there already.
        this.expect(id);
      },
      (error: unknown) => {
        this.#starting -= 1;
        this.#failedAt = this.#context.clock.now();
        this.#context.log.info({ err: error }, 'a run in standby mode cannot be started');
        this.#giveUp(error as Error);
      },
    );
  }

  /** A run that goes on soon, such as after a restart of the server. */
  expect(id: string): void {
    if (!this.#runs.has(id)) this.#runs.set(id, this.#newRun(id));
  }

  #newRun(id: string): PooledRun {
    return { id, server: undefined, idleSince: this.#context.clock.now(), wasReady: false };
  }

  /** Where nothing is left that could take them, waiting requests fail. */
  #giveUp(error: Error): void {
    if (this.#runs.size > 0 || this.#starting > 0) return;
    for (const { reject } of this.#waiting) reject(error);
    this.#waiting.clear();
  }

  /** A run of this program has a process: one that was started here, or that goes on after a restart of the server. */
  opened(server: WebServer): void {
    const { id } = server.run;
    const run = this.#runs.get(id) ?? this.#newRun(id);
    this.#runs.set(id, run);
    run.server = server;
    run.idleSince = this.#context.clock.now();
    server.maxRequests = this.#settings.maxRequests;
    server.decide = () => this.#retirementOf(run, server);
    server.onLeave = () => {
      run.idleSince = this.#context.clock.now();
      this.#serveWaiting();
    };
    void waitUntilReady(server).then((isReady) => {
      if (!isReady || run.server !== server) return;
      server.isReady = true;
      run.wasReady = true;
      run.idleSince = this.#context.clock.now();
      this.#context.onReady(server);
      this.#serveWaiting();
    });
  }

  closed(server: WebServer): void {
    const run = this.#runs.get(server.run.id);
    if (run?.server === server) run.server = undefined;
  }

  #retirementOf(run: PooledRun, server: WebServer): RunEnd | undefined {
    const { clock, readyMs } = this.#context;
    const idleMs = clock.now() - run.idleSince;
    if (!server.isReady) {
      if (idleMs <= readyMs) return undefined;
      const message = `The Actor did not answer on its port within ${readyMs / 1000} seconds`;
      return { code: null, message };
    }
    // Nobody waits for one that is ready and has no requests.
    if (server.requests > 0 || idleMs < this.#settings.idleMs) return undefined;
    return { code: 0, isSuccess: true, message: 'The Actor was stopped because there were no requests' };
  }

  /** The run has ended, in whatever way. */
  ended(id: string, status: string): void {
    const run = this.#runs.get(id);
    if (run === undefined) return;
    this.#runs.delete(id);
    // One that has answered before is replaced; one that never did would be started again and again.
    const [next] = this.#waiting;
    if (run.wasReady && next !== undefined) this.#grow(next.start);
    this.#giveUp(
      noWebServer(`The run ${id} ended before it answered: its status is ${status}. See its log.`),
    );
  }

  /** Drops requests that have waited too long. */
  expire(now: number): void {
    for (const request of this.#waiting) {
      if (request.until > now) continue;
      this.#waiting.delete(request);
      request.reject(webServerTimedOut(`No run was ready within ${this.#context.readyMs / 1000} seconds.`));
    }
  }

  /** The server stops. */
  refuseWaiting(error: Error): void {
    for (const { reject } of this.#waiting) reject(error);
    this.#waiting.clear();
  }
}

/** The pauses grow: most programs are ready within a second or take long. */
const PROBE_PAUSE_MS = { least: 25, most: 500, growth: 1.3 };
/** One that accepts the connection and then says nothing is asked again. */
const ANSWER_MS = 30_000;

/** True once it has answered; false where its process ended before, or where another program has its port. */
async function waitUntilReady(server: WebServer): Promise<boolean> {
  const { signal } = server.closed;
  for (
    let pause: number = PROBE_PAUSE_MS.least;
    !signal.aborted;
    pause = Math.min(pause * PROBE_PAUSE_MS.growth, PROBE_PAUSE_MS.most)
  ) {
    // Before the first request: one that is not the run's program must not learn the secret.
    const isGenuine = await server.isGenuine();
    if (isGenuine !== false && (await answers(server))) return true;
    await delay(pause, undefined, { signal, ref: false }).catch(() => {});
  }
  return false;
}

function answers({ address, secret, closed }: WebServer): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const options = {
    ...('port' in address ? { host: '127.0.0.1', ...address } : address),
    path: '/',
    headers: { [PROBE_HEADER]: '1', [SECRET_HEADER]: secret, connection: 'close' },
    agent: false,
    timeout: ANSWER_MS,
    signal: closed.signal,
  };
  const probe = openHttpRequest(undefined, options, {
    response(reply) {
      reply.destroy();
      resolve(true);
    },
    error: () => resolve(false),
  });
  probe.on('timeout', () => probe.destroy());
  probe.end();
  return promise;
}
