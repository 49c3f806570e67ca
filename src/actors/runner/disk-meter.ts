// Measures disk space in a worker thread, one program after another.
import { extname } from 'node:path';
import { WorkerThread } from '../../kernel/network/streams.ts';
import type { DiskQuery, DiskUsage } from './disk-usage.ts';

/** Beside this file and with its extension: .ts in the sources, .js in a bundle. */
const THREAD = new URL(`./disk-thread${extname(import.meta.url)}`, import.meta.url);

/** A thread that nobody needs takes memory. */
const IDLE_MS = 10_000;

interface Waiting {
  query: DiskQuery;
  resolve(usage: DiskUsage): void;
  reject(error: unknown): void;
}

/** One thread, so that programs with many files use one core at most; each waits for its turn, so that none is left out. */
class DiskMeter {
  readonly #waiting: Waiting[] = [];
  #worker: WorkerThread | undefined;
  #idle: NodeJS.Timeout | undefined;

  measure(query: DiskQuery): Promise<DiskUsage> {
    const { promise, resolve, reject } = Promise.withResolvers<DiskUsage>();
    this.#waiting.push({ query, resolve, reject });
    if (this.#waiting.length === 1) this.#next();
    return promise;
  }

  #next(): void {
    clearTimeout(this.#idle);
    const [first] = this.#waiting;
    if (first !== undefined) {
      this.#worker ??= this.#start();
      this.#worker.ref();
      this.#worker.postMessage(first.query);
      return;
    }
    this.#worker?.unref();
    this.#idle = setTimeout(() => {
      void this.#worker?.terminate();
      this.#worker = undefined;
    }, IDLE_MS).unref();
  }

  #start(): WorkerThread {
    const worker = new WorkerThread(THREAD, {
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 256 },
    });
    worker.on('message', (usage: DiskUsage) => {
      this.#waiting.shift()?.resolve(usage);
      this.#next();
    });
    worker.on('error', (error) => {
      this.#worker = undefined;
      this.#waiting.shift()?.reject(error);
      this.#next();
    });
    return worker;
  }
}

const meter = new DiskMeter();

export function measureDisk(query: DiskQuery): Promise<DiskUsage> {
  return meter.measure(query);
}
