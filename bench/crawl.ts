// A crawl of local pages with the Actor web-crawler on a server, against the same program run bare with memory storage.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, homedir, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { NICENESS } from '../src/actors/runner/launch.ts';
import { median, type Effort } from './compare.ts';
import { startCrawlSite, type CrawlSite } from './crawl-site.ts';
import type { Row } from './report.ts';
import { ask, startRunServer } from './run-calls.ts';
import type { BenchServer } from './servers.ts';

const PAGES = 2000;
const QUICK_PAGES = 300;
const LEAST = 0.7;
/** A run has a processor for each 4096 MB: this one has as many as the bare program, up to the largest memory of a run. */
const MEMORY_MBYTES = 4096 * Math.min(2 ** Math.floor(Math.log2(availableParallelism())), 8);
const ACTOR = new URL('../actors-library/web-crawler/main.js', import.meta.url).pathname;

/** Both fetch the same pages of the same site, one after the other, as often as there are rounds. */
export async function benchCrawl({ rounds }: Effort): Promise<Row[]> {
  const isQuick = rounds < 5;
  const site = await startCrawlSite(isQuick ? QUICK_PAGES : PAGES);
  // npm finds its cache and its settings there.
  const server = await startRunServer({ HOME: homedir() });
  const rates: { ours: number[]; bare: number[] } = { ours: [], bare: [] };
  try {
    // The first run installs the packages.
    await crawlOnServer(server, site);
    for (let round = 0; round < (isQuick ? 2 : 3); round += 1) {
      rates.bare.push(await crawlBare(site));
      rates.ours.push(await crawlOnServer(server, site));
    }
  } finally {
    await server.stop();
    site.close();
  }
  const [ours, bare] = [median(rates.ours), median(rates.bare)];
  // Of neighbours in time, because the machine may be slower at one time than at another.
  const ratio = median(rates.ours.map((rate, round) => rate / rates.bare[round]!));
  return [
    {
      what: `crawl of ${site.pages} local pages with web-crawler`,
      value: `${ours.toFixed(0)} pages/s`,
      ratio,
      against: `the same program run bare with memory storage, ${bare.toFixed(0)} pages/s`,
      target: `≥ ${LEAST}`,
      isMet: ratio >= LEAST,
    },
  ];
}

function inputFor(site: CrawlSite): object {
  return {
    startUrls: [{ url: site.url }],
    maxDepth: 100,
    maxPages: site.pages * 2,
    maxConcurrency: 20,
    respectRobotsTxt: false,
    fields: { title: 'h1', links: { selector: 'a', attribute: 'href', all: true } },
  };
}

interface CrawlRun {
  id: string;
  status: string;
  statusMessage: string;
  finishedAt: string | null;
}

async function crawlOnServer(server: BenchServer, site: CrawlSite): Promise<number> {
  site.reset();
  const path = `/v2/actors/apify~web-crawler/runs?memory=${MEMORY_MBYTES}`;
  let run = await ask<CrawlRun>(server.url, 'POST', path, inputFor(site));
  while (run.finishedAt === null)
    run = await ask<CrawlRun>(server.url, 'GET', `/v2/actor-runs/${run.id}?waitForFinish=60`);
  if (run.status !== 'SUCCEEDED') throw new Error(`The crawl is ${run.status}: ${run.statusMessage}`);
  return site.rate();
}

async function crawlBare(site: CrawlSite): Promise<number> {
  site.reset();
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-crawl-'));
  const store = join(folder, 'key_value_stores', 'default');
  mkdirSync(store, { recursive: true });
  writeFileSync(join(store, 'INPUT.json'), JSON.stringify(inputFor(site)));
  const child = spawn(process.execPath, [ACTOR], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      CRAWLEE_STORAGE_DIR: folder,
      CRAWLEE_PERSIST_STORAGE: '0',
      CRAWLEE_PURGE_ON_START: '0',
      CRAWLEE_MEMORY_MBYTES: '4096',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  // As low as that of programs of a server: on a busy machine it would decide everything.
  setPriority(child.pid!, NICENESS);
  const { promise: ended, resolve, reject } = Promise.withResolvers<number | null>();
  child.once('error', reject).once('close', resolve);
  const code = await ended;
  rmSync(folder, { recursive: true, force: true });
  if (code !== 0) throw new Error(`The bare crawl ended with ${code}`);
  return site.rate();
}
