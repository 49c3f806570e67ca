// Datasets over HTTP, with durable writes: pushing in batches, and exports of a million items in every format.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, type Effort } from './compare.ts';
import { load } from './load.ts';
import type { Row } from './report.ts';
import { startOurs, TOKEN, type BenchServer } from './servers.ts';

const BATCH = 100;
const CONNECTIONS = 32;
const ITEMS = 1_000_000;
const PUSH_ITEMS = 5000;
const MEGABYTE = 1024 * 1024;
/** The limit on additional memory during an export. */
const MAX_MEGABYTES = 60;

const authorization = `Bearer ${TOKEN}`;

export async function benchDatasets({ rounds, seconds }: Effort): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
  const start = () => startOurs({ SIGNALBOX_DATA: folder });
  try {
    const filling = await start();
    const id = await create(filling);
    await fill(filling, id);
    await filling.stop();
    const rows = await benchExports(start, id, Math.min(rounds, 3));
    const pushing = await start();
    const pushed = await benchPush(pushing, rounds, seconds);
    await pushing.stop();
    return [pushed, ...rows];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function benchPush(ours: BenchServer, rounds: number, seconds: number): Promise<Row> {
  const id = await create(ours);
  const body = JSON.stringify(itemsFrom(0, BATCH));
  const path = `/v2/datasets/${id}/items`;
  const work = { method: 'POST', path, headers: { authorization }, body: () => body };
  const rates: number[] = [];
  for (let round = -1; round < rounds; round += 1) {
    const { rate } = await load(ours, work, {
      connections: CONNECTIONS,
      seconds: round === -1 ? 2 : seconds,
    });
    if (round >= 0) rates.push(rate * BATCH);
  }
  const rate = median(rates);
  return {
    what: `push in batches of ${BATCH}`,
    value: `${Math.round(rate)} items/s`,
    against: '',
    target: '≥ 100,000 items/s',
    isMet: rate >= 100_000,
  };
}

/** Each format on a newly started server, so that memory is compared with an idle one. */
async function benchExports(start: () => Promise<BenchServer>, id: string, rounds: number): Promise<Row[]> {
  const targets: { format: string; megabytes?: number; rows?: number }[] = [
    { format: 'json', megabytes: 100 },
    { format: 'csv', megabytes: 40 },
    { format: 'xlsx', rows: 100_000 },
    { format: 'jsonl' },
    { format: 'xml' },
    { format: 'html' },
    { format: 'rss' },
    { format: 'json&clean=1' },
  ];
  const rows: Row[] = [];
  for (const { format, megabytes, rows: least } of targets) {
    const ours = await start();
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const idle = ours.memory();
    const runs = [];
    for (let round = 0; round < rounds; round += 1) runs.push(await exportOnce(ours, id, format, idle));
    await ours.stop();
    const speed = median(runs.map((run) => run.bytes / MEGABYTE / run.seconds));
    const rate = median(runs.map((run) => ITEMS / run.seconds));
    const grown = Math.max(...runs.map((run) => run.grown));
    const speedTarget = megabytes !== undefined ? `≥ ${megabytes} MB/s` : `≥ ${least} rows/s`;
    rows.push({
      what: `export of a million items, ${format}`,
      value: `${Math.round(speed)} MB/s, ${Math.round(rate)} rows/s, ${Math.round(grown)} MB more memory`,
      against: '',
      target: `${(megabytes ?? least) ? `${speedTarget}; ` : ''}≤ ${MAX_MEGABYTES} MB`,
      isMet: speed >= (megabytes ?? 0) && rate >= (least ?? 0) && grown <= MAX_MEGABYTES,
    });
  }
  return rows;
}

async function exportOnce(ours: BenchServer, id: string, format: string, idle: number) {
  let most = idle;
  const begun = performance.now();
  const response = await fetch(`${ours.url}/v2/datasets/${id}/items?format=${format}`, {
    headers: { authorization },
  });
  if (!response.ok) throw new Error(await response.text());
  let bytes = 0;
  let looked = 0;
  for await (const chunk of response.body!) {
    bytes += (chunk as Uint8Array).length;
    if (bytes - looked < 4 * MEGABYTE) continue;
    looked = bytes;
    most = Math.max(most, ours.memory());
  }
  return { bytes, seconds: (performance.now() - begun) / 1000, grown: (most - idle) / MEGABYTE };
}

async function create({ url }: BenchServer): Promise<string> {
  const response = await fetch(`${url}/v2/datasets`, { method: 'POST', headers: { authorization } });
  const { data } = (await response.json()) as { data: { id: string } };
  return data.id;
}

async function fill({ url }: BenchServer, id: string): Promise<void> {
  for (let first = 0; first < ITEMS; first += PUSH_ITEMS) {
    const response = await fetch(`${url}/v2/datasets/${id}/items`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(itemsFrom(first, PUSH_ITEMS)),
    });
    await response.text();
    if (response.status !== 201) throw new Error(`A push was answered ${response.status}`);
  }
}

/** Like the results of a shop crawler: about 200 bytes each. */
function itemsFrom(first: number, count: number): object[] {
  return Array.from({ length: count }, (_, index) => {
    const number = first + index;
    return {
      url: `https://shop.example.com/products/${number}`,
      title: `Product no. ${number}, "large"`,
      price: { amount: (number % 10_000) / 100, currency: 'EUR' },
      inStock: number % 3 === 0,
      tags: ['new', `group ${number % 50}`],
      crawledAt: '2026-01-01T00:00:00.000Z',
    };
  });
}
