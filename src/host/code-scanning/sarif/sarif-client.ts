// Reads uploads in a worker thread, one after another, with limits on time and memory: a hostile one ends the thread.
import type { TaskChannel, ThreadBounds } from '../../../kernel/threads/task-thread.ts';
import { TaskStopped } from '../../../kernel/threads/task-error.ts';
import { threadFile, ThreadRunner } from '../../../kernel/threads/thread-runner.ts';
import type { SarifSource } from './read-sarif.ts';
import type { SarifAnswer, SarifRequest } from './sarif-thread.ts';
import type { ReadResult, SarifRunSummary } from './sarif-run.ts';
import type { ScanningRule } from './sarif-rule.ts';

declare module '../../../kernel/kernel.ts' {
  interface Services {
    sarif: SarifReader;
  }
}

const THREAD = threadFile('sarif-thread', import.meta.url);

const BOUNDS: ThreadBounds = { cpuMs: 60_000, megabytes: 768 };

/** An upload that was read: its parts are asked for in batches. */
export interface OpenSarif {
  runs: readonly SarifRunSummary[];
  rules(run: number): AsyncGenerator<[id: string, rule: ScanningRule][]>;
  results(run: number): AsyncGenerator<ReadResult[]>;
  document(run: number): Promise<Uint8Array>;
}

export type SarifOutcome<T> = { problems: string[] } | { value: T };

export class SarifReader {
  readonly #threads: ThreadRunner<SarifSource, SarifAnswer, SarifRequest>;

  constructor(bounds: ThreadBounds = BOUNDS) {
    // What was read may be large: no thread is kept with it.
    this.#threads = new ThreadRunner(THREAD, { ...bounds, idleMs: 0 });
  }

  /** Calls `use` with what was read; the thread ends after it. Problems are the fault of the upload. */
  async read<T>(
    source: SarifSource,
    use: (sarif: OpenSarif) => Promise<T>,
    signal: AbortSignal,
  ): Promise<SarifOutcome<T>> {
    try {
      const channel = await this.#threads.open(() => source, { signal });
      try {
        const first = await channel.receive();
        if (first.verb === 'refused') return { problems: first.problems };
        if (first.verb !== 'read') throw new Error(`The thread began with ${first.verb}.`);
        return { value: await use(openSarif(channel, first.runs)) };
      } finally {
        await channel.close();
      }
    } catch (error) {
      // Out of memory, out of time, or an error that the document provoked.
      if (!(error instanceof TaskStopped)) throw error;
      return {
        problems: [
          'The document takes too much memory or time. Split it into uploads with a category each, or leave out results.',
        ],
      };
    }
  }

  async close(): Promise<void> {
    await this.#threads.close();
  }
}

function openSarif(
  channel: TaskChannel<SarifAnswer, SarifRequest>,
  runs: readonly SarifRunSummary[],
): OpenSarif {
  const ask = async <V extends SarifRequest['verb']>(request: SarifRequest & { verb: V }) => {
    channel.send(request);
    return (await channel.receive()) as SarifAnswer & { verb: V };
  };
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
