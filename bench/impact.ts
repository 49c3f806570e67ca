// What the upgrade report costs each call: the server with its counters against itself without, and the counters alone.
import { hostApi } from '../src/host/api.ts';
import type { Caller } from '../src/kernel/identity/caller.ts';
import { schemaInVersion } from '../src/kernel/schema-version.ts';
import { RouteUsage } from '../src/kernel/version-usage/route-usage.ts';
import { VersionUsage } from '../src/kernel/version-usage/version-usage.ts';
import type { Engine } from '../src/kernel/storage/engine.ts';
import { compare, median, type Effort } from './compare.ts';
import type { Row } from './report.ts';
import { startWatched, TOKEN } from './servers.ts';

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
  const route = usage.of(hostApi.dialect, shape, { version: OLD })!;
  const callers = Array.from(
    { length: CALLERS },
    (_, index) =>
      ({ kind: 'token', member: { id: 'm' }, token: { id: `token-${index}` } }) as unknown as Caller,
  );
  const counting = perCallUs((index) =>
    usage.record(route, callers[index % CALLERS]!, 1 + (index % 3), index),
  );
  const schema = shape.reply![200]!;
  const plain = schemaInVersion(schema, OLD, hostApi.dialect.versions).descend!;
  const watched = new RouteUsage('host', shape, { version: OLD }, hostApi.dialect.versions);
  const noticing = schemaInVersion(schema, OLD, watched.table).descend!;
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

/** The calls of the newest version are not counted; the conversion is in both, as it is in the version before the counters. */
async function servers(effort: Effort): Promise<Row> {
  const work = { method: 'GET', path: '/', headers: { authorization: `Bearer ${TOKEN}` } };
  const counting = await startWatched();
  const off = await startWatched({
    NODE_OPTIONS: `--import ${new URL('./no-usage.ts', import.meta.url).href}`,
  });
  const [without, within] = await compare(
    [
      { server: off, work },
      { server: counting, work },
    ],
    effort,
  );
  await off.stop();
  await counting.stop();
  const more = within!.cpu - without!.cpu;
  return {
    what: 'GET / under 2022-11-28, counted',
    value: `${within!.cpu.toFixed(1)} µs of CPU, ${more.toFixed(1)} µs more`,
    ratio: within!.times,
    against: `the same server without counters, ${without!.cpu.toFixed(1)} µs`,
    target: `≤ ${MOST_US} µs more`,
    isMet: more <= MOST_US,
  };
}
