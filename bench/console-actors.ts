// The console with much of everything: a day's runs, a dataset of a million items, and a long log that is followed.
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CDPSession, Page } from 'playwright-core';
import { openLogWriter } from '../src/actors/logs/log-writer.ts';
import type { Kernel } from '../src/kernel/kernel.ts';
import { insertRunRow } from '../test/run-rows.ts';
import type { TestServer } from '../test/server.ts';
import { median, type Effort } from './compare.ts';
import type { Row } from './report.ts';

const RUNS = 14_000;
const ITEMS = 1_000_000;
const PUSHED = 10_000;
const LINES = 100_000;
const LINES_A_SECOND = 500;
const STEP_MS = 100;
const MEGABYTE = 1_000_000;

export interface ActorBench {
  server: TestServer;
  page: Page;
  devtools: CDPSession;
  userId: string;
  token: string;
}

/** On a browser at its own speed: the budgets of these are about what is there, not about the machine. */
export async function benchConsoleActors(bench: ActorBench, effort: Effort): Promise<Row[]> {
  await bench.devtools.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  return [
    await benchRuns(bench, effort),
    await benchDataset(bench, effort),
    ...(await benchLog(bench, effort)),
  ];
}

async function benchRuns({ server, page, userId }: ActorBench, { rounds, isQuick }: Effort): Promise<Row> {
  const { kernel } = server.app;
  const count = isQuick ? RUNS / 10 : RUNS;
  for (let at = 0; at < count; at += 1)
    await insertRunRow(kernel, { userId, finishedAt: kernel.clock.now() + 1000 });
  const times = await openings(page, `${server.url}/console/runs`, 'tbody tr', rounds);
  return row(`list of ${count.toLocaleString('en')} runs: first rows`, median(times), 400, 'ms');
}

async function benchDataset(bench: ActorBench, { rounds, isQuick }: Effort): Promise<Row> {
  const { server, page, token } = bench;
  const count = isQuick ? ITEMS / 20 : ITEMS;
  const made = await server.call('/v2/datasets', { method: 'POST', token });
  const id = made.json['data'].id as string;
  for (let from = 0; from < count; from += PUSHED) {
    const body = Array.from({ length: PUSHED }, (_, at) => ({
      number: from + at,
      name: `item ${from + at}`,
    }));
    await server.call(`/v2/datasets/${id}/items`, { method: 'POST', token, body });
  }
  const times = await openings(page, `${server.url}/console/storage/datasets/${id}`, '[data-row]', rounds);
  return row(`dataset of ${count.toLocaleString('en')} items: first rows`, median(times), 400, 'ms');
}

/** From a page of the console to another, as a click does it: the code is there after the first. */
export async function openings(page: Page, url: string, ready: string, rounds: number): Promise<number[]> {
  await page.goto(url);
  await page.locator(`main ${ready}`).first().waitFor();
  const home = new URL(url);
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    // A page without rows.
    await page.goto(`${home.origin}/console/nothing`);
    await page.locator('main button').first().waitFor();
    times.push(
      await page.evaluate<number>(`(async () => {
        const begun = performance.now();
        history.pushState(null, '', ${JSON.stringify(home.pathname)});
        while (document.querySelector(${JSON.stringify(`main ${ready}`)}) === null)
          await new Promise((resolve) => requestAnimationFrame(resolve));
        return performance.now() - begun;
      })()`),
    );
  }
  return times;
}

async function benchLog(bench: ActorBench, { seconds, isQuick }: Effort): Promise<Row[]> {
  const { server, page, devtools, userId } = bench;
  const { kernel } = server.app;
  const count = isQuick ? LINES / 10 : LINES;
  const id = await insertRunRow(kernel, { userId });
  const writer = await openLogWriter(kernel, { id, folder: join(kernel.settings.execution.work, id) });
  await appendFile(writer.file, linesFrom(1, count));
  await page.goto(`${server.url}/console/runs/${id}`);
  await page.locator(`#L${count}`).waitFor();
  await page.evaluate(`(() => {
    window.benchLongest = 0;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.benchLongest = Math.max(window.benchLongest, duration);
    }).observe({ type: 'longtask' });
  })()`);
  const end = await follow(kernel, writer.file, count, Math.max(seconds, 5));
  await page.locator(`#L${end}`).waitFor();
  const longest = await page.evaluate<number>('window.benchLongest');
  await devtools.send('HeapProfiler.collectGarbage');
  await devtools.send('Performance.enable');
  const { metrics } = await devtools.send('Performance.getMetrics');
  const heap = metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0;
  await writer.end();
  const what = `log of ${count.toLocaleString('en')} lines, followed at ${LINES_A_SECOND} a second`;
  return [
    row(`${what}: longest task`, longest, 100, 'ms'),
    row(`${what}: memory of the page`, heap / MEGABYTE, 120, 'MB'),
  ];
}

/** Returns the number of the last line. */
async function follow(kernel: Kernel, file: string, from: number, seconds: number): Promise<number> {
  const until = kernel.clock.now() + seconds * 1000;
  const each = (LINES_A_SECOND * STEP_MS) / 1000;
  let last = from;
  while (kernel.clock.now() < until) {
    await appendFile(file, linesFrom(last + 1, last + each));
    last += each;
    await sleep(STEP_MS);
  }
  return last;
}

function linesFrom(from: number, to: number): string {
  return Array.from(
    { length: to - from + 1 },
    (_, at) => `INFO  page ${from + at} of the shop is done, with 24 products on it\n`,
  ).join('');
}

function row(what: string, measured: number, most: number, unit: string): Row {
  return {
    what,
    value: `${measured.toFixed(0)} ${unit}`,
    against: 'Chromium',
    target: `≤ ${most} ${unit}`,
    isMet: measured <= most,
  };
}
