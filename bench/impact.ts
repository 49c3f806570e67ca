// What the upgrade report costs each call: calls of a server that are counted against calls that are not, and the counters alone.
import { hostApi } from '../src/host/api.ts';
import type { Caller } from '../src/kernel/identity/caller.ts';
import { schemaInVersion } from '../src/kernel/versions/schema-version.ts';
import { RouteUsage } from '../src/kernel/versions/usage/route-usage.ts';
import { VersionUsage } from '../src/kernel/versions/usage/version-usage.ts';
import type { Engine } from '../src/kernel/storage/engine.ts';
import { median, type Effort } from './compare.ts';
import { cpuUsOfThreads } from './cpu.ts';
import { Connection, measure } from './raw-http.ts';
import type { Row } from './report.ts';
import { startWatched, TOKEN, type BenchServer } from './servers.ts';

const MOST_US = 3;
const OLD = '2022-11-28';
const CALLERS = 100;
const CALLS = 300_000;

export async function benchImpact(effort: Effort): Promise<Row[]> {
  return [...countersAlone(), await servers(effort)];
}

/** An engine that saves nothing: the calls alone are measured. */
const NO_ENGINE = { isShared: false } as Engine;

function countersAlone(): Row[] {
  const usage = new VersionUsage({ engine: NO_ENGINE, clock: { now: () => 0 } });
  const { shape } = hostApi.routes.find((one) => one.shape.id === 'repos/get')!;
  const route = usage.of(hostApi.protocol, shape, { version: OLD })!;
  const callers = Array.from(
    { length: CALLERS },
    (_, index) =>
      ({ kind: 'token', member: { id: 'm' }, token: { id: `token-${index}` } }) as unknown as Caller,
  );
  const counting = perCallUs((index) =>
    usage.record(route, callers[index % CALLERS]!, 1 + (index % 3), index),
  );
  const schema = shape.reply![200]!;
  const plain = schemaInVersion(schema, OLD, hostApi.protocol.versions).downgrade!;
  const watched = new RouteUsage('host', shape, { version: OLD }, hostApi.protocol.versions);
  const noticing = schemaInVersion(schema, OLD, watched.table).downgrade!;
  const repository = () => ({ name: 'shop', squash_merge_commit_title: 'PR_TITLE', owner: { login: 'ada' } });
  const without = perCallUs(() => plain(repository()));
  const within = perCallUs(() => {
    watched.noticed = 0;
    noticing(repository());
  });
  return [
    microRow('counting a call', counting),
    microRow('noticing the changes of a repository', Math.max(within - without, 0)),
  ];
}

function perCallUs(work: (index: number) => void): number {
  const runs = Array.from({ length: 5 }, () => {
    const begun = performance.now();
    for (let index = 0; index < CALLS; index += 1) work(index);
    return ((performance.now() - begun) * 1000) / CALLS;
  });
  return median(runs);
}

function microRow(what: string, us: number): Row {
  return {
    what,
    value: `${us.toFixed(2)} µs`,
    against: 'in one process',
    target: `≤ ${MOST_US} µs`,
    isMet: us <= MOST_US,
  };
}

/** Whose shapes of the root are the same, so that one server has both kinds of calls. */
const MEDIA_TYPES = { v3: 'application/vnd.host.v3+json', beta: 'application/vnd.host.beta+json' } as const;
type Word = keyof typeof MEDIA_TYPES;

const CONNECTIONS = 16;
const SLICE_SECONDS = 0.2;
const WARM_UP_SLICES = 20;

/**
 * Calls that are counted and calls that are not, in turns, on one server: two servers differ by more than what is measured. On
 * the second server the two kinds change places, so that in the mean the words themselves do not matter.
 */
async function servers({ isQuick }: Effort): Promise<Row> {
  const pairs = isQuick ? 50 : 200;
  const one = await pairsOn('beta', ['v3', 'beta'], pairs);
  const other = await pairsOn('v3', ['beta', 'v3'], pairs);
  const [first, second] = [medianWithError(one.map(differenceOf)), medianWithError(other.map(differenceOf))];
  const more = (first.value + second.value) / 2;
  const error = Math.hypot(first.error, second.error) / 2;
  const plain = median([...one, ...other].map(({ without }) => without));
  return {
    what: 'GET / under 2022-11-28, counted',
    value: `${more.toFixed(1)} ± ${error.toFixed(1)} µs of CPU more`,
    ratio: (plain + more) / plain,
    against: `calls of the same server that are not, ${plain.toFixed(1)} µs, ${pairs * 2} pairs`,
    target: `≤ ${MOST_US} µs more`,
    isMet: more <= MOST_US,
  };
}

interface Pair {
  within: number;
  without: number;
}

function differenceOf({ within, without }: Pair): number {
  return within - without;
}

/** On a new server that does not count calls with the word `uncounted`. */
async function pairsOn(uncounted: Word, [within, without]: [Word, Word], count: number): Promise<Pair[]> {
  const server = await startWatched({
    NODE_OPTIONS: `--import ${new URL('./no-usage.ts', import.meta.url).href}`,
    UNCOUNTED: uncounted,
  });
  const connections = { v3: connect(server, 'v3'), beta: connect(server, 'beta') };
  const measureWord = (word: Word) => cpuUsPerCall(server, connections[word]);
  const pairs: Pair[] = [];
  for (let index = -WARM_UP_SLICES; index < count; index += 1) {
    const us: Partial<Record<Word, number>> = {};
    // Each is first in every other pair.
    for (const word of index % 2 === 0 ? [within, without] : [without, within])
      us[word] = await measureWord(word);
    if (index >= 0) pairs.push({ within: us[within]!, without: us[without]! });
  }
  for (const connection of [...connections.v3, ...connections.beta]) connection.close();
  await server.stop();
  return pairs;
}

function connect({ url }: BenchServer, word: Word): Connection[] {
  const headers = { authorization: `Bearer ${TOKEN}`, accept: MEDIA_TYPES[word] };
  return Array.from({ length: CONNECTIONS }, () => new Connection(url, headers));
}

async function cpuUsPerCall({ pid }: BenchServer, connections: Connection[]): Promise<number> {
  const before = cpuUsOfThreads(pid);
  let calls = 0;
  await measure(connections, SLICE_SECONDS, async (connection) => {
    const { status, body } = await connection.call('GET', '/');
    if (status !== 200) throw new Error(`GET / was answered with ${status}: ${body}`);
    return (calls += 1);
  });
  return (cpuUsOfThreads(pid) - before) / calls;
}

/** The usual error of a median of so many values that scatter like this. */
function medianWithError(values: number[]): { value: number; error: number } {
  const value = median(values);
  const spread = 1.4826 * median(values.map((one) => Math.abs(one - value)));
  return { value, error: (1.2533 * spread) / Math.sqrt(values.length) };
}
