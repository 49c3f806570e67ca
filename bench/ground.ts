// The kernel's own cost: two frequent calls against bare node:http, version conversion, start time and idle memory.
import { setTimeout as delay } from 'node:timers/promises';
import { compare, compareWithBare, median, type Effort } from './compare.ts';
import { cpuRow, type Row } from './report.ts';
import { buildClone, buildPackage, startOurs, TOKEN, type BenchServer } from './servers.ts';

const STARTS = 5;
const MEGABYTE = 1024 * 1024;
const authorization = `Bearer ${TOKEN}`;

export async function benchGround(effort: Effort): Promise<Row[]> {
  const starts = await benchStart();
  const ours = await startOurs();
  const rows: Row[] = [];
  for (const path of ['/rate_limit', '/v2/users/me']) {
    const work = { method: 'GET', path, headers: { authorization } };
    rows.push(cpuRow(`GET ${path}`, await compareWithBare(ours, work, effort), { most: 2.2 }));
  }
  rows.push(
    cpuRow('GET /healthz', await compareWithBare(ours, { method: 'GET', path: '/healthz' }, effort), {
      most: 2.2,
    }),
  );
  rows.push(await benchDescent(ours, effort));
  await ours.stop();
  return [...rows, ...starts];
}

async function benchDescent(ours: BenchServer, effort: Effort): Promise<Row> {
  const [newest, oldest] = await compare(
    ['2026-03-10', '2022-11-28'].map((version) => ({
      server: ours,
      work: { method: 'GET', path: '/', headers: { authorization, 'x-host-api-version': version } },
    })),
    effort,
  );
  return {
    what: 'GET / downgraded to 2022-11-28',
    value: `${Math.round(oldest!.cpu)} µs of CPU, ${Math.round(oldest!.rate)}/s`,
    ratio: oldest!.times,
    against: `2026-03-10, ${Math.round(newest!.cpu)} µs`,
    target: '≤ 1.05',
    isMet: oldest!.times <= 1.05,
  };
}

/** The first start fills the compile cache and does not count. Each has a new folder, whose database it makes. */
async function benchStart(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [from, build] of [
    ['the npm package', buildPackage],
    ['a clone with the bundle of its sources', buildClone],
  ] as const) {
    const built = await build();
    const starts: { readyMs: number; readyCpuMs: number; ready: number; idle: number }[] = [];
    for (let index = -1; index < STARTS; index += 1) {
      const server = await built.start();
      const ready = server.memory() / MEGABYTE;
      if (index === STARTS - 1) await delay(3000);
      if (index >= 0) starts.push({ ...server, ready, idle: server.memory() / MEGABYTE });
      await server.stop();
    }
    built.remove();
    const against = `from ${from}`;
    const row = (what: string, value: number, unit: string, most: number): Row => ({
      what,
      value: `${Math.round(value)} ${unit}`,
      against,
      target: `≤ ${most} ${unit}`,
      isMet: value <= most,
    });
    rows.push(
      row('start to ready', median(starts.map(({ readyMs }) => readyMs)), 'ms', 1000),
      row('CPU of a start', median(starts.map(({ readyCpuMs }) => readyCpuMs)), 'ms', 1000),
      row('memory when ready', median(starts.map(({ ready }) => ready)), 'MB', 130),
      row('idle memory', starts.at(-1)!.idle, 'MB', 130),
    );
  }
  return rows;
}
