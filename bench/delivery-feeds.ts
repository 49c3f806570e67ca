// The live copies of environments: what a change and a start cost with many flags, against few.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, type Effort } from './compare.ts';
import { cpuMsOf } from './cpu.ts';
import { createProject, turnFlag, type FlagProject } from './flag-projects.ts';
import type { Row } from './report.ts';
import { startOurs } from './servers.ts';
import { StreamReaders } from './stream-readers.ts';

const FEW = 100;
/** The number of flags that are many, of the environments that each of them is in, and of the changes in a round. */
const FULL = { many: 10_000, environments: 20, changes: 100 };
const QUICK = { many: 2000, environments: 5, changes: 20 };

type FeedsSize = typeof FULL & { rounds: number };

const MOST_CHANGE = 1.3;
const MOST_START = 1.5;
const CONTEXT = Buffer.from(JSON.stringify({ kind: 'user', key: 'ada', country: 'GB' })).toString(
  'base64url',
);

interface FilledFolder extends FlagProject {
  folder: string;
}

export async function benchFeeds({ rounds, isQuick }: Effort): Promise<Row[]> {
  const size = { ...(isQuick ? QUICK : FULL), rounds };
  const { environments } = size;
  const few = await fillFolder({ flags: FEW });
  const many = await fillFolder({ flags: size.many });
  const fewWide = await fillFolder({ flags: FEW, environments });
  const manyWide = await fillFolder({ flags: size.many, environments });
  try {
    return [await benchChanges(few, many, size), await benchFirst(fewWide, manyWide, size)];
  } finally {
    for (const { folder } of [few, many, fewWide, manyWide]) rmSync(folder, { recursive: true, force: true });
  }
}

async function fillFolder(size: { flags: number; environments?: number }): Promise<FilledFolder> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
  return { folder, ...(await createProject(folder, size)) };
}

async function benchChanges(few: FilledFolder, many: FilledFolder, size: FeedsSize): Promise<Row> {
  const { rounds, changes } = size;
  const targets = await Promise.all([few, many].map(openFollowed));
  const cpus: [few: number, many: number][] = [];
  for (let round = -1; round < rounds; round += 1) {
    const both: [number, number] = [await targets[0]!.change(changes), await targets[1]!.change(changes)];
    if (round >= 0) cpus.push(both);
  }
  await Promise.all(targets.map(({ stop }) => stop()));
  const ratio = median(cpus.map(([one, other]) => other / one));
  return {
    what: `a change of one of ${size.many} flags, with one stream open`,
    value: `${median(cpus.map(([, cpu]) => cpu)).toFixed(1)} ms of CPU`,
    ratio,
    against: `of ${FEW} flags, ${median(cpus.map(([cpu]) => cpu)).toFixed(1)} ms`,
    target: `≤ ${MOST_CHANGE}`,
    isMet: ratio <= MOST_CHANGE,
  };
}

/** A server with one stream; `change` returns the CPU time of one change in milliseconds. */
async function openFollowed({ folder, sdkKey }: FilledFolder) {
  const server = await startOurs({ SIGNALBOX_DATA: folder });
  const readers = new StreamReaders();
  await readers.open(server.url, '/all', { authorization: sdkKey }, 1);
  let isOn = false;
  return {
    async change(changes: number) {
      const begun = cpuMsOf(server.pid);
      for (let index = 0; index < changes; index += 1) {
        const received = readers.received('patch', 1);
        await turnFlag(server.url, 50, (isOn = !isOn));
        await received;
      }
      return (cpuMsOf(server.pid) - begun) / changes;
    },
    async stop() {
      readers.close();
      await server.stop();
    },
  };
}

async function benchFirst(few: FilledFolder, many: FilledFolder, size: FeedsSize): Promise<Row> {
  const starts: [few: number, many: number][] = [];
  for (let round = -1; round < size.rounds; round += 1) {
    const both: [number, number] = [await cpuUntilFirst(few), await cpuUntilFirst(many)];
    if (round >= 0) starts.push(both);
  }
  const ratio = median(starts.map(([one, other]) => other / one));
  return {
    what: `start to the first evaluation of ${size.many} flags, one of ${size.environments} environments`,
    value: `${Math.round(median(starts.map(([, cpu]) => cpu)))} ms of CPU`,
    ratio,
    against: `of ${FEW} flags, ${Math.round(median(starts.map(([cpu]) => cpu)))} ms`,
    target: `≤ ${MOST_START}`,
    isMet: ratio <= MOST_START,
  };
}

/** The CPU time of a server from its start to its first reply with results. */
async function cpuUntilFirst({ folder, clientId }: FilledFolder): Promise<number> {
  const server = await startOurs({ SIGNALBOX_DATA: folder });
  const answer = await fetch(`${server.url}/sdk/evalx/${clientId}/contexts/${CONTEXT}`);
  const text = await answer.text();
  const cpu = cpuMsOf(server.pid);
  await server.stop();
  if (!answer.ok) throw new Error(`The evaluation was answered with ${answer.status}: ${text}`);
  return cpu;
}
