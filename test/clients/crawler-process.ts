// A crawler as people write them, in a process of its own: it works on one named queue until that is empty.
import { CheerioCrawler } from '@crawlee/cheerio';
import { Actor } from 'apify';

const LOCK_SECONDS = 5;

await Actor.init({ storage: Actor.newClient() });
const queue = await Actor.openRequestQueue('site', { forceCloud: true });
const pages = await Actor.openDataset('pages', { forceCloud: true });

const crawler = new CheerioCrawler({
  requestQueue: queue,
  minConcurrency: 8,
  maxConcurrency: 8,
  useSessionPool: false,
  async requestHandler({ request, enqueueLinks }) {
    // The crawler sets a minute when it starts; a test need not wait that long for the locks of one that was killed.
    queue.requestLockSecs = LOCK_SECONDS;
    await enqueueLinks();
    await pages.pushData({ url: request.url, crawler: process.pid });
  },
});
await crawler.run();
process.exit(0);
