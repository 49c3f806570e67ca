// The pictures of the README, from the demo: one page of each part, and one picture of them all.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { withDemo, type DemoBrowser } from './demo-browser.ts';

interface Picture {
  name: string;
  path: string;
  /** A link or button on the page that is pressed first. */
  opens?: string;
  /** In the overview. */
  caption?: string;
}

/** Written in this order; the overview has those with a caption. */
const PICTURES: readonly Picture[] = [
  { name: 'home', path: '/console', opens: 'button:text-is("Dismiss")' },
  { name: 'flags', path: '/console/flags/demo/new-checkout', caption: 'Flags: who gets what, and why' },
  {
    name: 'actors',
    path: '/console/runs?status=SUCCEEDED',
    opens: 'tbody tr a',
    caption: 'Actors: programs that run, and what they found',
  },
  {
    name: 'code',
    path: '/console/code/admin/demo-shop/pulls/5/files',
    caption: 'Code: repositories, issues, reviews',
  },
  { name: 'files', path: '/console/code/admin/demo-shop' },
  { name: 'docs', path: '/docs/actors/datasets', caption: 'Docs: every call, ready to run' },
];

const VIEWPORT = { width: 1280, height: 800 };
const OVERVIEW = { width: 1280, height: 752 };
const QUALITY = 72;
/** Long enough for what is read and drawn after the page. */
const SETTLE_MS = 2000;
/** The demo builds and runs an Actor first. */
const RUN_MS = 240_000;

export async function takeReadmePictures(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await withDemo(async (demo) => {
    const page = await demo.open({ viewport: VIEWPORT, colorScheme: 'light', reducedMotion: 'reduce' });
    await waitForRun(page, demo);
    const taken = new Map<string, string>();
    for (const { name, path, opens } of PICTURES) {
      await page.goto(demo.url + path);
      await page.locator('#main').waitFor();
      if (opens !== undefined) await page.locator(opens).first().click();
      await page.waitForTimeout(SETTLE_MS);
      taken.set(name, await takePicture(page));
    }
    taken.set('overview', await takeOverview(page, taken));
    for (const [name, picture] of taken)
      writeFileSync(join(folder, `${name}.webp`), Buffer.from(picture, 'base64'));
  });
}

async function waitForRun(page: Page, { url }: DemoBrowser): Promise<void> {
  await page.goto(`${url}/console/runs?status=SUCCEEDED`);
  await page.locator('tbody tr').first().waitFor({ timeout: RUN_MS });
}

/** Base64 of a WebP, which Playwright itself does not write. */
async function takePicture(page: Page): Promise<string> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
  await session.detach();
  return data;
}

/** What this is, in one picture: the four parts with a sentence each. */
async function takeOverview(page: Page, taken: ReadonlyMap<string, string>): Promise<string> {
  const parts = PICTURES.filter(({ caption }) => caption !== undefined).map(
    ({ name, caption }) =>
      `<figure><img src="data:image/webp;base64,${taken.get(name)!}"><figcaption>${caption!}</figcaption></figure>`,
  );
  // A page of the console would not take other styles.
  await page.setViewportSize(OVERVIEW);
  await page.goto('about:blank');
  await page.setContent(`<!doctype html><style>
    body { margin: 0; padding: 28px 32px; font: 20px/28px system-ui, sans-serif; color: #15202b; background: #eef2f8; }
    h1 { margin: 0; font-size: 34px; line-height: 42px; } p { margin: 2px 0 18px; color: #47525f; }
    div { display: grid; grid-template-columns: 1fr 1fr; gap: 18px 24px; } figure { margin: 0; }
    img { display: block; width: 100%; height: 262px; object-fit: cover; object-position: left top; border: 1px solid #cbd3de; border-radius: 8px; }
    figcaption { margin-top: 4px; font-size: 17px; font-weight: 600; }
  </style><h1>Signalbox: one server that you run yourself</h1>
  <p>Feature flags, scraping and automation, code hosting. One account, one token, one console.</p><div>${parts.join('')}</div>`);
  await page.locator('img').last().waitFor();
  return await takePicture(page);
}
