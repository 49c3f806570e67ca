// A site of many pages on loopback, in a thread of its own, that knows how fast it is crawled.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

export interface CrawlSite {
  /** The first page. */
  url: string;
  pages: number;
  /** Begins a new crawl. */
  reset(): void;
  /** Pages per second, from the first page to the last. Throws where some were not fetched. */
  rate(): Promise<number>;
  close(): void;
}

const LINKS = 10;

export async function startCrawlSite(pages: number): Promise<CrawlSite> {
  const thread = new Worker(new URL(import.meta.url), { workerData: pages });
  const [port] = (await once(thread, 'message')) as [number];
  return {
    url: `http://127.0.0.1:${port}/page/0`,
    pages,
    reset: () => thread.postMessage('reset'),
    async rate() {
      const answer = once(thread, 'message');
      thread.postMessage('rate');
      const [{ fetched, seconds }] = (await answer) as [{ fetched: number; seconds: number }];
      if (fetched !== pages) throw new Error(`${fetched} of ${pages} pages were fetched`);
      return pages / seconds;
    },
    close: () => void thread.terminate(),
  };
}

/** Some kilobytes of text, as pages have. */
const TEXT = '<p>The quick brown fox jumps over the lazy dog, again and again.</p>\n'.repeat(100);

function serveSite(pages: number): void {
  let fetched = new Set<number>();
  let [first, last] = [0, 0];
  const server = createServer(({ url = '/' }, response) => {
    const number = Number(url.slice('/page/'.length));
    if (!Number.isInteger(number) || number >= pages) {
      response.writeHead(404).end();
      return;
    }
    last = performance.now();
    if (fetched.size === 0) first = last;
    fetched.add(number);
    const links = Array.from({ length: LINKS }, (_, index) => number * LINKS + index + 1).filter(
      (one) => one < pages,
    );
    const list = links.map((one) => `<li><a href="/page/${one}">Page ${one}</a></li>`).join('');
    const body = `<title>Page ${number}</title><h1>Page ${number}</h1><ul>${list}</ul>${TEXT}`;
    response.writeHead(200, { 'content-type': 'text/html' }).end(body);
  });
  server.listen(0, '127.0.0.1', () => parentPort!.postMessage((server.address() as { port: number }).port));
  parentPort!.on('message', (message: string) => {
    if (message === 'reset') fetched = new Set();
    else parentPort!.postMessage({ fetched: fetched.size, seconds: (last - first) / 1000 });
  });
}

if (!isMainThread) serveSite(workerData as number);
