// npm run bench [name] [--quick]: runs the benches, or those whose name begins so, and writes the results.
import type { Effort } from './compare.ts';
import { benchBackup } from './backup.ts';
import { benchCalls } from './calls.ts';
import { benchCodeScanning } from './code-scanning.ts';
import { benchConsoleCodeTasks } from './console-code-tasks.ts';
import { benchConsoleTasks } from './console-tasks.ts';
import { benchConsole } from './console.ts';
import { benchCrawl } from './crawl.ts';
import { benchDatasets } from './datasets.ts';
import { benchDeliveryEvaluation } from './delivery-evaluation.ts';
import { benchEvents } from './delivery-events.ts';
import { benchFeeds } from './delivery-feeds.ts';
import { benchPolling } from './delivery-polling.ts';
import { benchStreams } from './delivery-streams.ts';
import { benchEvaluation } from './evaluation.ts';
import { benchFlags } from './flags.ts';
import { benchFreeze } from './freeze.ts';
import { benchGists } from './gists.ts';
import { benchGitWrites } from './git-writes.ts';
import { benchGround } from './ground.ts';
import { benchHeavyCalls } from './heavy-calls.ts';
import { benchHost } from './host.ts';
import { benchImpact } from './impact.ts';
import { benchIssues } from './issues.ts';
import { benchMerges } from './merges.ts';
import { benchQueues } from './queues.ts';
import { report, type Row } from './report.ts';
import { benchRuns } from './runs.ts';
import { benchScale } from './scale.ts';
import { benchSchedules } from './schedules.ts';
import { benchStandby } from './standby.ts';
import { benchTransport } from './transport.ts';
import { benchWebhooks } from './webhooks.ts';

type Bench = (effort: Effort) => Promise<Row[]>;

const BENCHES: Record<string, Bench> = {
  backup: benchBackup,
  calls: benchCalls,
  'heavy-calls': benchHeavyCalls,
  ground: benchGround,
  datasets: benchDatasets,
  queues: benchQueues,
  flags: benchFlags,
  evaluation: benchEvaluation,
  'delivery-evaluation': benchDeliveryEvaluation,
  'delivery-polling': benchPolling,
  'delivery-events': benchEvents,
  'delivery-streams': benchStreams,
  'delivery-feeds': benchFeeds,
  freeze: benchFreeze,
  host: benchHost,
  gists: benchGists,
  'git-writes': benchGitWrites,
  issues: benchIssues,
  merges: benchMerges,
  impact: benchImpact,
  'code-scanning': benchCodeScanning,
  transport: benchTransport,
  runs: benchRuns,
  scale: benchScale,
  schedules: benchSchedules,
  standby: benchStandby,
  webhooks: benchWebhooks,
  crawl: benchCrawl,
  console: benchConsole,
  'console-tasks': benchConsoleTasks,
  'console-code-tasks': benchConsoleCodeTasks,
};

const isQuick = process.argv.includes('--quick');
const named = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const isCalled = (bench: string, name: string) => bench === name || bench.startsWith(`${name}-`);
const unknown = named.find((name) => !Object.keys(BENCHES).some((bench) => isCalled(bench, name)));

if (unknown !== undefined) {
  console.error(`There is no bench ${unknown}. There are: ${Object.keys(BENCHES).join(', ')}.`);
  process.exitCode = 2;
} else {
  for (const [name, bench] of Object.entries(BENCHES)) {
    if (named.length > 0 && !named.some((begin) => isCalled(name, begin))) continue;
    report(
      name,
      await bench({ ...(isQuick ? { rounds: 3, seconds: 2 } : { rounds: 7, seconds: 5 }), isQuick }),
      {
        isQuick,
        now: new Date(),
      },
    );
  }
}
