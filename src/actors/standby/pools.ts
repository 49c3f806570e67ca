// All programs in standby mode that this node serves: a pool of runs for each, what names in paths stand for, and what else they share.
import type { Kernel, Services } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { BoundedCache } from '../../kernel/collections/bounded-cache.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import { STATUS_CHANNELS, isFinished } from '../jobs/job.ts';
import { findRun, markServerReady } from '../runs/store.ts';
import type { WebServer, WebServers } from '../runs/web-server.ts';
import { findActorById } from '../actors/store.ts';
import type { Run } from '../runs/model.ts';
import { findTaskById } from '../tasks/store.ts';
import type { JobMeta } from '../jobs/job-meta.ts';
import { OpenSockets } from './forward.ts';
import { noWebServer, tooManyWaiting, type PoolSettings, poolSettingsOf } from './model.ts';
import { NodeDirectory } from './nodes.ts';
import { listStandbyRuns } from './store-nodes.ts';
import { StandbyPool, type PoolContext, type PoolKey, type StartRun } from './pool.ts';

declare module '../../kernel/kernel.ts' {
  interface Services {
    standby: StandbyPools;
  }
}

type PoolsKernel = Pick<Kernel, 'engine' | 'clock' | 'log'> & { services: Pick<Services, 'thisNode'> };

/** How long a run may take until it answers, and a request may wait for that. */
const READY_MS = 300_000;
/** Each waiting request is an open connection. */
const MAX_WAITING = 500;
const MAX_WAITING_TOGETHER = 2000;
/** Notifications may be lost, and requests expire. */
const CHECK_MS = 500;

class StandbyPools {
  readonly sockets = new OpenSockets();
  readonly directory = new NodeDirectory();
  readonly names = new StandbyNames();
  readonly #kernel: PoolsKernel;
  readonly #pools = new Map<string, StandbyPool>();
  readonly #opening = new Map<string, Promise<StandbyPool>>();
  readonly #context: PoolContext;
  readonly #timer = setInterval(() => this.check(), CHECK_MS).unref();
  #isClosed = false;
  #isChecking = false;
  #waiting = 0;

  constructor(kernel: PoolsKernel) {
    this.#kernel = kernel;
    const { clock, log, engine } = kernel;
    this.#context = {
      clock,
      log,
      readyMs: READY_MS,
      maxWaiting: MAX_WAITING,
      onReady: ({ run }) => {
        markServerReady(engine.db, run.id).catch((error: unknown) =>
          log.warn({ err: error, run: run.id }, 'cannot save that a run is ready'),
        );
      },
    };
  }

  /** A run with room, where the request is counted: it must leave again. */
  async acquire(
    key: PoolKey,
    settings: PoolSettings,
    start: StartRun,
    signal: AbortSignal,
  ): Promise<WebServer> {
    if (this.#isClosed) throw stopping();
    if (this.#waiting >= MAX_WAITING_TOGETHER) throw tooManyWaiting(this.#waiting);
    this.#waiting += 1;
    try {
      let pool = await this.#poolOf(key, settings);
      // An empty one may be removed between the two.
      while (this.#pools.get(nameOf(key)) !== pool) pool = await this.#poolOf(key, settings);
      return await pool.acquire(settings, start, signal);
    } finally {
      this.#waiting -= 1;
    }
  }

  /** A new one begins with the runs that are there: those of before a restart of the server. */
  #poolOf(key: PoolKey, settings: PoolSettings): StandbyPool | Promise<StandbyPool> {
    const name = nameOf(key);
    const known = this.#pools.get(name);
    if (known !== undefined) return known;
    const opening = this.#opening.get(name) ?? this.#open(key, settings);
    this.#opening.set(name, opening);
    return opening.finally(() => this.#opening.delete(name));
  }

  async #open(key: PoolKey, settings: PoolSettings): Promise<StandbyPool> {
    const { db } = this.#kernel.engine;
    const node = await this.#kernel.services.thisNode.begun;
    const pool = new StandbyPool(this.#context, settings);
    for (const id of await listStandbyRuns(db, key, node)) pool.expect(id);
    this.#pools.set(nameOf(key), pool);
    return pool;
  }

  async opened(server: WebServer): Promise<void> {
    const { run } = server;
    if (run.meta.origin !== 'STANDBY') return;
    const settings = await findSettings(this.#kernel.engine.db, run);
    const pool = await this.#poolOf(run, settings);
    if (!server.closed.signal.aborted) pool.opened(server);
  }

  closed(server: WebServer): void {
    for (const pool of this.#pools.values()) pool.closed(server);
    this.check();
  }

  /** Finds out which runs have ended; several calls at once cause one look. */
  check(): void {
    if (this.#isClosed || this.#isChecking || this.#pools.size === 0) return;
    this.#isChecking = true;
    void this.#check()
      .catch((error: unknown) =>
        this.#kernel.log.warn({ err: error }, 'cannot look after runs in standby mode'),
      )
      .finally(() => (this.#isChecking = false));
  }

  async #check(): Promise<void> {
    const { clock, engine } = this.#kernel;
    for (const [name, pool] of this.#pools) {
      pool.expire(clock.now());
      for (const id of pool.absent) {
        const run = await findRun(engine.db, id);
        if (run === undefined || isFinished(run.status)) pool.ended(id, run?.status ?? 'DELETED');
      }
      if (pool.isEmpty) this.#pools.delete(name);
    }
  }

  /** The server stops: nobody waits any longer. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    for (const pool of this.#pools.values()) pool.refuseWaiting(stopping());
    this.sockets.end();
    this.directory.agent.destroy();
  }
}

/** Of the program, for one account. */
export function nameOf({ userId, actorId, taskId }: PoolKey): string {
  return `${userId}/${taskId ?? actorId}`;
}

function stopping(): Error {
  return noWebServer('The server is stopping.');
}

export async function openStandbyPools(kernel: PoolsKernel, webServers: WebServers): Promise<StandbyPools> {
  const pools = new StandbyPools(kernel);
  webServers.follow({
    opened: (server) => {
      pools.opened(server).catch((error: unknown) => {
        kernel.log.error({ err: error, run: server.run.id }, 'cannot give requests to a run in standby mode');
      });
    },
    closed: (server) => pools.closed(server),
  });
  await kernel.engine.listen(STATUS_CHANNELS.run, () => pools.check());
  return pools;
}

/** Of a run that was started earlier, such as before a restart of the server. The defaults, where its Actor is gone: it then ends when it is idle. */
async function findSettings(db: Db, { actorId, taskId }: Run): Promise<PoolSettings> {
  const actor = await findActorById(db, actorId);
  const task = taskId === null ? undefined : await findTaskById(db, taskId);
  return poolSettingsOf(actor?.details.actorStandby ?? {}, task?.details.actorStandby);
}

export interface StandbyProgram {
  /** Runs belong to the caller's account, also those of an Actor of others. */
  key: PoolKey;
  settings: PoolSettings;
  start: StartRun;
}

/** What a name stands for, for one caller who may run it. */
export interface ResolvedName {
  action: 'runActor' | 'runTask';
  resource: string;
  open(meta: JobMeta): StandbyProgram;
}

const MAX_NAMES = 100;

/** By caller: one with other permissions is another one. */
class StandbyNames {
  readonly #known = new WeakMap<KnownCaller, BoundedCache<string, ResolvedName>>();

  of(caller: KnownCaller): BoundedCache<string, ResolvedName> {
    const known = this.#known.get(caller) ?? new BoundedCache<string, ResolvedName>({ max: MAX_NAMES });
    this.#known.set(caller, known);
    return known;
  }
}
