// Measures several targets in turns, so that what the machine does meanwhile meets all of them alike; medians only.
import autocannon from 'autocannon';

export interface Target {
  name: string;
  url: string;
  headers?: Record<string, string>;
}

export interface Measured {
  name: string;
  /** Requests per second, the median of all rounds. */
  rate: number;
  /** The rate as a part of the first target's, the median over the rounds. */
  ratio: number;
  /** Milliseconds below which 99 of 100 replies came, the median of all rounds. */
  p99: number;
}

const CONNECTIONS = 32;
const WARM_UP_SECONDS = 2;

export async function compare(
  targets: Target[],
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Measured[]> {
  for (const target of targets) await load(target, WARM_UP_SECONDS);
  const rates = targets.map((): number[] => []);
  const ratios = targets.map((): number[] => []);
  const p99s = targets.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    let baseline = 0;
    for (const [index, target] of targets.entries()) {
      const { rate, p99 } = await load(target, seconds);
      if (index === 0) baseline = rate;
      rates[index]!.push(rate);
      ratios[index]!.push(rate / baseline);
      p99s[index]!.push(p99);
    }
  }
  return targets.map(({ name }, index) => ({
    name,
    rate: Math.round(median(rates[index]!)),
    ratio: median(ratios[index]!),
    p99: median(p99s[index]!),
  }));
}

async function load({ name, url, headers = {} }: Target, seconds: number) {
  const result = await autocannon({ url, headers, connections: CONNECTIONS, duration: seconds });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${name}: ${result.non2xx} replies were not good, ${result.errors} calls failed`);
  }
  return { rate: result.requests.average, p99: result.latency.p99 };
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
