// Measures several targets in turns, so that other load of the machine affects all of them alike; medians only.
import { load, type Load, type Work } from './load.ts';
import { record } from './record.ts';
import { startBare, type BenchServer } from './servers.ts';

export interface Effort {
  rounds: number;
  seconds: number;
  /** Whether large data is to be replaced by smaller. */
  isQuick: boolean;
}

export interface Target {
  server: BenchServer;
  work: Work;
}

export interface Measured extends Load {
  /** The CPU time per call in multiples of the first target's: the median over the rounds. */
  times: number;
}

const CONNECTIONS = 64;
const WARM_UP_SECONDS = 2;
/** Node has compiled a call after some thousand of it, for which a busy machine takes longer. */
const WARM_UP_CALLS = 8000;
/** For calls that take milliseconds. */
const MAX_WARM_UP_SECONDS = 10;

export async function compare(
  targets: Target[],
  { rounds, seconds }: Pick<Effort, 'rounds' | 'seconds'>,
  connections = CONNECTIONS,
): Promise<Measured[]> {
  const run = ({ server, work }: Target, time: number) => load(server, work, { connections, seconds: time });
  for (const target of targets) {
    let calls = 0;
    for (let time = 0; calls < WARM_UP_CALLS && time < MAX_WARM_UP_SECONDS; time += WARM_UP_SECONDS)
      calls += (await run(target, WARM_UP_SECONDS)).rate * WARM_UP_SECONDS;
  }
  const loads = targets.map((): Load[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, target] of targets.entries()) loads[index]!.push(await run(target, seconds));
  }
  const [baseline] = loads;
  return loads.map((all) => ({
    rate: median(all.map(({ rate }) => rate)),
    cpu: median(all.map(({ cpu }) => cpu)),
    times: median(all.map(({ cpu }, round) => cpu / baseline![round]!.cpu)),
  }));
}

/** Our server and, in turns with it, bare node:http that sends the same bytes. */
export async function compareWithBare(
  ours: BenchServer,
  work: Work,
  effort: Pick<Effort, 'rounds' | 'seconds'>,
  connections = CONNECTIONS,
) {
  const bare = await startBare(await record(ours.url, work));
  const [baseline, measured] = await compare(
    [
      { server: bare, work },
      { server: ours, work },
    ],
    effort,
    connections,
  );
  await bare.stop();
  return { bare: baseline!, ours: measured! };
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
