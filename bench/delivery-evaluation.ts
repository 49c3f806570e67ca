// Evaluating 350 flags for one context, in this process: against the official SDK, and against the hashes alone.
import { init } from '@launchdarkly/node-server-sdk';
import { TestData } from '@launchdarkly/node-server-sdk/integrations';
import { renderResults } from '../src/flags/delivery/render-results.ts';
import { hashBucket, prepareHash, type HashPrefix } from '../src/flags/evaluation/bucket-hash.ts';
import { chooseOutcome } from '../src/flags/evaluation/flag.ts';
import { readContext } from '../src/flags/evaluation/context.ts';
import { compileEnvironment } from '../src/flags/evaluation/environment.ts';
import { beginRun, type EvaluationEnvironment } from '../src/flags/evaluation/run.ts';
import { median, type Effort } from './compare.ts';
import { MIXED_CONTEXT, MIXED_FLAGS, MIXED_SEGMENTS } from './mixed-flags.ts';
import type { Row } from './report.ts';

const MIN_TIMES_SDK = 10;
const MAX_TIMES_HASHES = 1.5;

type Task = () => void | Promise<unknown>;

export async function benchDeliveryEvaluation(effort: Effort): Promise<Row[]> {
  const compiled = await compileEnvironment(MIXED_FLAGS, MIXED_SEGMENTS);
  const environment: EvaluationEnvironment = { ...compiled, bigSegmentInclusion: () => undefined };
  const flags = [...environment.flags.values()];
  const begin = () => beginRun(readContext(MIXED_CONTEXT), environment);
  const options = { audience: 'usingEnvironmentId', withReasons: false } as const;
  const prefixes = neededHashes(environment);
  const { key } = MIXED_CONTEXT.user;
  const [evaluated, rendered, hashed] = await measureInTurns(
    [
      () => {
        const run = begin();
        for (const flag of flags) chooseOutcome(flag, run);
      },
      () => renderResults(begin(), options),
      () => {
        for (const prefix of prefixes) hashBucket(prefix, key);
      },
    ],
    effort,
  );
  // Afterwards, so that neither fills the caches of the other.
  const official = await startOfficial();
  const [theirs] = await measureInTurns(
    [async () => JSON.stringify(await official.allFlagsState(MIXED_CONTEXT as never))],
    effort,
  );
  official.close();
  const toSdk = median(theirs!) / median(rendered!);
  const toHashes = median(evaluated!.map((time, round) => time / hashed![round]!));
  const show = (times: number[] | undefined) => `${Math.round(median(times!))} µs`;
  return [
    {
      what: `all ${flags.length} flags for one context as JSON, in process`,
      value: `${show(rendered)} of CPU`,
      ratio: toSdk,
      against: `allFlagsState of the official SDK as JSON, ${show(theirs)}`,
      target: `≥ ${MIN_TIMES_SDK}`,
      isMet: toSdk >= MIN_TIMES_SDK,
    },
    {
      what: 'the same without JSON',
      value: `${show(evaluated)} of CPU`,
      ratio: toHashes,
      against: `the ${prefixes.length} hashes of rollouts alone, ${show(hashed)}`,
      target: `≤ ${MAX_TIMES_HASHES}`,
      isMet: toHashes <= MAX_TIMES_HASHES,
    },
  ];
}

/** A hash for each rollout that decides about the context. */
function neededHashes(environment: EvaluationEnvironment): HashPrefix[] {
  const run = beginRun(readContext(MIXED_CONTEXT), environment);
  const salted: { key: string; salt: string }[] = [...environment.flags.values()]
    .filter((flag) => {
      const { reason } = flag.evaluate(run);
      const { rules, fallthrough } = flag.data;
      if (reason.kind === 'RULE_MATCH') return rules[reason.ruleIndex]!.rollout !== undefined;
      return reason.kind === 'FALLTHROUGH' && fallthrough.rollout !== undefined;
    })
    .map(({ data }) => data);
  const weighted = MIXED_SEGMENTS.filter(({ rules }) => rules.some(({ weight }) => weight !== undefined));
  return [...salted, ...weighted].map(({ key, salt }) => prepareHash(`${key}.${salt}.`));
}

async function startOfficial() {
  const data = new TestData();
  for (const segment of MIXED_SEGMENTS) await data.usePreconfiguredSegment(segment);
  for (const flag of MIXED_FLAGS) await data.usePreconfiguredFlag(flag);
  const quiet = { debug() {}, info() {}, warn() {}, error() {} };
  const client = init('sdk-key', { updateProcessor: data.getFactory(), sendEvents: false, logger: quiet });
  await client.waitForInitialization({ timeout: 60 });
  return client;
}

/** Counted and not timed, because on a busy machine little is done, and compiled, in a given time. */
const FULL = { warmUp: 3000, atOnce: 500 };
const QUICK = { warmUp: 1000, atOnce: 200 };

/** The CPU time of one call of each task, in microseconds, for each round. */
async function measureInTurns(tasks: Task[], { rounds, isQuick }: Effort): Promise<number[][]> {
  const { warmUp, atOnce } = isQuick ? QUICK : FULL;
  const times = tasks.map((): number[] => []);
  for (const task of tasks) await cpuOf(task, warmUp);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, task] of tasks.entries()) times[index]!.push(await cpuOf(task, atOnce));
  }
  return times;
}

async function cpuOf(task: Task, count: number): Promise<number> {
  const begun = process.cpuUsage();
  for (let turn = 0; turn < count; turn += 1) await task();
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / count;
}
