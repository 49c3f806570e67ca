// Reads uploads in a worker thread, one after another, with limits on time and memory: a hostile one ends the thread.
import { extname } from 'node:path';
import { WorkerThread } from '../../../kernel/network/streams.ts';
import { ProcessSlots } from '../../git/process/process-slots.ts';
import type { SarifSource } from './read-sarif.ts';
import type { SarifAnswer, SarifRequest } from './sarif-protocol.ts';
import type { ReadResult, SarifRunSummary } from './sarif-run.ts';
import type { ScanningRule } from './sarif-rule.ts';

declare module '../../../kernel/kernel.ts' {
  interface Services {
    sarif: SarifReader;
  }
}

/** Beside this file and with its extension: .ts in the sources, .js in a bundle. */
const THREAD = new URL(`./sarif-thread${extname(import.meta.url)}`, import.meta.url);

const POLL_MS = 100;

/** Of the thread that reads an upload. */
interface SarifThreadLimits {
  /** CPU time, so that the load of the machine does not matter. */
  cpuMs: number;
  megabytes: number;
}

const LIMITS: SarifThreadLimits = { cpuMs: 60_000, megabytes: 768 };

/** An upload that was read: its parts are asked for in batches. */
export interface OpenSarif {
  runs: readonly SarifRunSummary[];
  rules(run: number): AsyncGenerator<[id: string, rule: ScanningRule][]>;
  results(run: number): AsyncGenerator<ReadResult[]>;
  document(run: number): Promise<Uint8Array>;
}

export type SarifOutcome<T> = { problems: string[] } | { value: T };

export class SarifReader {
  readonly #slots = new ProcessSlots({ max: 1, maxWaiting: Infinity, what: 'uploads' });
  readonly #limits: SarifThreadLimits;

  constructor(limits: SarifThreadLimits = LIMITS) {
    this.#limits = limits;
  }

  /** Calls `use` with what was read; the thread ends after it. Problems are the fault of the upload. */
  async read<T>(
    source: SarifSource,
    use: (sarif: OpenSarif) => Promise<T>,
    signal: AbortSignal,
  ): Promise<SarifOutcome<T>> {
    const release = await this.#slots.acquire(signal);
    const thread = new SarifThread(source, this.#limits, signal);
    try {
      const first = await thread.answer();
      if (first.verb === 'refused') return { problems: first.problems };
      if (first.verb !== 'read') throw new Error(`The thread began with ${first.verb}.`);
      return { value: await use(openSarif(thread, first.runs)) };
    } catch (error) {
      if (error === OUT_OF_BOUNDS)
        return {
          problems: [
            'The document takes too much memory or time. Split it into uploads with a category each, or leave out results.',
          ],
        };
      throw error;
    } finally {
      await thread.end();
      release();
    }
  }
}

function openSarif(thread: SarifThread, runs: readonly SarifRunSummary[]): OpenSarif {
  const ask = async <V extends SarifRequest['verb']>(request: SarifRequest & { verb: V }) =>
    (await thread.ask(request)) as SarifAnswer & { verb: V };
  return {
    runs,
    async *rules(run) {
      for (let start = 0; ;) {
        const { rules } = await ask({ verb: 'rules', run, start });
        if (rules.length === 0) return;
        yield rules;
        start += rules.length;
      }
    },
    async *results(run) {
      for (let start = 0; ;) {
        const { results } = await ask({ verb: 'results', run, start });
        if (results.length === 0) return;
        yield results;
        start += results.length;
      }
    },
    async document(run) {
      return (await ask({ verb: 'document', run })).gzip;
    },
  };
}

/** The thread ended by itself: out of memory, out of time, or by an error that a document provoked. */
const OUT_OF_BOUNDS = new Error('The thread ended.');

class SarifThread {
  readonly #worker: WorkerThread;
  readonly #poll: NodeJS.Timeout;
  readonly #ended = Promise.withResolvers<never>();
  #next = Promise.withResolvers<SarifAnswer>();

  constructor(source: SarifSource, { cpuMs, megabytes }: SarifThreadLimits, signal: AbortSignal) {
    this.#worker = new WorkerThread(THREAD, {
      workerData: source,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: megabytes },
    });
    this.#ended.promise.catch(() => {}); // nobody may be waiting
    this.#worker.on('message', (answer: SarifAnswer) => this.#next.resolve(answer));
    this.#worker.on('error', () => this.#ended.reject(OUT_OF_BOUNDS));
    this.#worker.on('exit', () => this.#ended.reject(OUT_OF_BOUNDS));
    signal.addEventListener('abort', () => this.#ended.reject(signal.reason as Error), { once: true });
    this.#poll = setInterval(() => {
      this.#worker.cpuUsage().then(
        ({ user, system }) => (user + system) / 1000 > cpuMs && this.#ended.reject(OUT_OF_BOUNDS),
        () => {}, // the thread has ended
      );
    }, POLL_MS);
  }

  async answer(): Promise<SarifAnswer> {
    return await Promise.race([this.#next.promise, this.#ended.promise]);
  }

  async ask(request: SarifRequest): Promise<SarifAnswer> {
    this.#next = Promise.withResolvers();
    this.#worker.postMessage(request);
    return await this.answer();
  }

  async end(): Promise<void> {
    clearInterval(this.#poll);
    await this.#worker.terminate();
  }
}
