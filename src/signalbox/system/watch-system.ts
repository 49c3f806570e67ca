// The figures of the system page as metrics: what dashboards and alerts need of the database, the work that waits, webhooks, runs, git and nodes.
import type { Kernel } from '../../kernel/kernel.ts';
import type { SystemFacts } from './model.ts';
import { readSystem } from './read-system.ts';

/** Anybody may read the metrics of a server without a token for them: however often, the database is asked this often at most. */
const KEPT_MS = 10_000;
/** What the database has not answered by then is left out. */
const WAIT_MS = 2_000;
/** A node that does background work says so twice as often. */
const NODE_MS = 60_000;

type Figure = number | undefined | [labels: string, value: number][];

export function watchSystem(kernel: Kernel): void {
  const { metrics, clock, engine } = kernel;
  let facts: SystemFacts | undefined;
  let reading: Promise<void> | undefined;
  let readAt = -Infinity;

  const read = async () => {
    try {
      ({ facts } = await readSystem(kernel, clock.now()));
      readAt = performance.now();
    } catch (error) {
      // The next one tries again: a database that is away is a figure, and no error of the metrics.
      facts = undefined;
      kernel.log.warn({ err: error }, 'cannot read the figures of the system for the metrics');
    } finally {
      reading = undefined;
    }
  };
  metrics.prepare(async () => {
    if (performance.now() - readAt < KEPT_MS) return;
    reading ??= read();
    const isLate = Symbol('late');
    const { promise: late, resolve } = Promise.withResolvers<typeof isLate>();
    const timer = setTimeout(() => resolve(isLate), WAIT_MS);
    if ((await Promise.race([reading, late])) === isLate) facts = undefined;
    clearTimeout(timer);
  });

  const watch = (name: string, help: string, figure: (known: SystemFacts) => Figure) =>
    metrics.watch({ name, help, read: () => facts && figure(facts) });

  metrics.watch({
    name: 'database_up',
    help: 'Whether the database answers within two seconds',
    read: () => Number(facts !== undefined),
  });
  metrics.watchDurations({
    name: 'database_statement_seconds',
    help: 'Time of statements of this node, with the wait for a thread or the network',
    histogram: engine.load.statements,
  });
  if (engine.load.connections !== undefined)
    metrics.watch({
      name: 'database_connections',
      help: 'Connections of this node by state; waiting are calls that have none',
      read: () => {
        const { open, idle, waiting } = engine.load.connections!();
        return [
          ['state="busy"', open - idle],
          ['state="idle"', idle],
          ['state="waiting"', waiting],
        ];
      },
    });
  watch('database_size_bytes', 'Size of the database on disk', ({ database }) => database.bytes);
  watch('due_work', 'Work that waits, by kind and state, of the 2000 that are due first', ({ dueWork }) =>
    dueWork.flatMap(({ kind, waiting, running, late, failed }): [string, number][] => [
      [`kind="${kind}",state="waiting"`, waiting],
      [`kind="${kind}",state="running"`, running],
      [`kind="${kind}",state="late"`, late],
      [`kind="${kind}",state="failed"`, failed],
    ]),
  );
  watch(
    'due_work_late_seconds',
    'How long ago the oldest late work was due; 0 where none is late',
    ({ dueWork }) => {
      const oldest = Math.min(...dueWork.map(({ oldestAt = Infinity }) => oldestAt));
      return Number.isFinite(oldest) ? (clock.now() - oldest) / 1000 : 0;
    },
  );
  watch('runs', 'Runs of Actors that have not ended, by status, at most 2000', ({ runs }) =>
    runs.map(({ status, count }) => [`status="${status}"`, count]),
  );
  watch(
    'webhook_deliveries',
    'Deliveries that wait, and those given up in the last day, at most 1000',
    ({ webhooks }) => [
      ['state="pending"', webhooks.pending],
      ['state="retrying"', webhooks.retrying],
      ['state="failed"', webhooks.failing],
    ],
  );
  watch(
    'git_processes',
    'Processes of git on this node that move data, and what waits for one',
    ({ git }) => [
      ['kind="transfer"', git.transfers],
      ['kind="download"', git.downloads],
      ['kind="waiting"', git.waiting],
    ],
  );
  watch(
    'nodes',
    'Nodes that were seen in the last minute',
    ({ nodes }) => nodes.filter(({ seenAt }) => clock.now() - seenAt < NODE_MS).length,
  );
}
