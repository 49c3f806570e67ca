// A usual crawler in a child process: it works on one named queue until that is empty.
import { CheerioCrawler } from '@crawlee/cheerio';
import { Actor } from 'apify';

await Actor.init({ storage: Actor.newClient() });
const queue = await Actor.openRequestQueue('site', { forceCloud: true });
// The parent finds its locks by this name.
process.send?.((queue as unknown as { clientKey: string }).clientKey);
const pages = await Actor.openDataset('pages', { forceCloud: true });

const crawler = new CheerioCrawler({
  requestQueue: queue,
  minConcurrency: 8,
  maxConcurrency: 8,
  useSessionPool: false,
  async requestHandler({ request, enqueueLinks }) {
    await enqueueLinks();
    await pages.pushData({ url: request.url, crawler: process.pid });
  },
});
await crawler.run();
process.exit(0);
