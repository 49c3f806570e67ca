// Streams of flags: memory of each, and the cost of a change, against bare node:http with the same bytes.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, type Effort } from './compare.ts';
import { cpuMsOf } from './cpu.ts';
import { createProject, turnFlag } from './flag-projects.ts';
import type { Row } from './report.ts';
import { startBareStreams, startWeighed, type WeighedServer } from './servers.ts';
import { recordStream, StreamReaders } from './stream-readers.ts';

const FLAGS = 20;
/** The number of streams whose memory is measured, of those that receive changes, and of the changes in a round. */
const FULL = { streams: 10_000, receivers: 2000, changes: 20 };
const QUICK = { streams: 1000, receivers: 500, changes: 10 };
const MOST_MEMORY = 1.3;
const MOST_TIME = 3;
const KILOBYTE = 1024;

interface ChangeSize {
  rounds: number;
  receivers: number;
  changes: number;
}

/** A server, its stream, and how all its readers get one change. */
interface StreamTarget {
  server: WeighedServer;
  path: string;
  headers: Record<string, string>;
  change(): Promise<unknown>;
}

export async function benchStreams({ rounds, isQuick }: Effort): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
  const { sdkKey } = await createProject(folder, { flags: FLAGS });
  const server = await startWeighed({
    SIGNALBOX_DATA: folder,
    SIGNALBOX_STREAMS_PER_ADDRESS: '100000',
    SIGNALBOX_STREAMS_PER_ENVIRONMENT: '100000',
    SIGNALBOX_STREAMS_PER_NODE: '100000',
  });
  let isOn = false;
  const headers = { authorization: sdkKey };
  const toggle = () => turnFlag(server.url, 0, (isOn = !isOn));
  const recorded = await recordStream(`${server.url}/all`, headers, toggle);
  const bareServer = await startBareStreams(recorded);
  const bare = {
    server: bareServer,
    path: '/stream',
    headers,
    change: () => fetch(bareServer.url, { method: 'POST' }),
  };
  const ours = { server, path: '/all', headers, change: toggle };
  try {
    const size = isQuick ? QUICK : FULL;
    return [
      ...(await benchMemory(bare, ours, size.streams)),
      ...(await benchChange(bare, ours, { ...size, rounds })),
    ];
  } finally {
    await Promise.all([server.stop(), bareServer.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function benchMemory(bare: StreamTarget, ours: StreamTarget, count: number): Promise<Row[]> {
  const [baseline, measured] = [await weighStreams(bare, count), await weighStreams(ours, count)];
  return (['used', 'resident'] as const).map((kind) => {
    const ratio = measured[kind] / baseline[kind];
    return {
      what: `${kind === 'used' ? 'live objects and buffers' : 'memory of the process'} per stream, with ${count} streams`,
      value: `${(measured[kind] / KILOBYTE).toFixed(1)} kB`,
      ratio,
      against: `bare node:http with the same bytes, ${(baseline[kind] / KILOBYTE).toFixed(1)} kB`,
      target: `≤ ${MOST_MEMORY}`,
      isMet: ratio <= MOST_MEMORY,
    };
  });
}

/** Bytes per stream. The first tenth of them does not count: it makes the server load and compile what streams need. */
async function weighStreams({ server, path, headers }: StreamTarget, count: number) {
  const readers = new StreamReaders();
  await readers.open(server.url, path, headers, count / 10);
  const before = await server.weigh();
  await readers.open(server.url, path, headers, count);
  const after = await server.weigh();
  readers.close();
  const perStream = (kind: 'used' | 'resident') => (after[kind] - before[kind]) / count;
  return { used: perStream('used'), resident: perStream('resident') };
}

async function benchChange(bare: StreamTarget, ours: StreamTarget, size: ChangeSize): Promise<Row[]> {
  const measured: { bare: Spent; ours: Spent }[] = [];
  for (let round = -1; round < size.rounds; round += 1) {
    const both = { bare: await spendOn(bare, size), ours: await spendOn(ours, size) };
    if (round >= 0) measured.push(both);
  }
  return (['cpu', 'time'] as const).map((kind) => {
    const ratio = median(measured.map((one) => one.ours[kind] / one.bare[kind]));
    const show = (who: 'bare' | 'ours') => `${median(measured.map((one) => one[who][kind])).toFixed(1)} ms`;
    return {
      what: `a change to ${size.receivers} streams, ${kind === 'cpu' ? 'CPU time' : 'time until the last has it'}`,
      value: show('ours'),
      ratio,
      against: `bare node:http that writes the same bytes, ${show('bare')}`,
      target: `≤ ${MOST_TIME}`,
      isMet: ratio <= MOST_TIME,
    };
  });
}

/** Milliseconds per change. */
interface Spent {
  cpu: number;
  time: number;
}

async function spendOn(
  { server, path, headers, change }: StreamTarget,
  { receivers, changes }: ChangeSize,
): Promise<Spent> {
  const readers = new StreamReaders();
  await readers.open(server.url, path, headers, receivers);
  const begun = { cpu: cpuMsOf(server.pid), time: performance.now() };
  for (let index = 0; index < changes; index += 1) {
    const received = readers.received('patch', receivers);
    await change();
    await received;
  }
  const cpu = (cpuMsOf(server.pid) - begun.cpu) / changes;
  const time = (performance.now() - begun.time) / changes;
  readers.close();
  return { cpu, time };
}
