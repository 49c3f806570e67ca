// Pictures of every page of the console, from the demo: light and dark, narrow and wide. `npm run gallery -- FOLDER`.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { openProfile, startBrowser } from '../test/e2e/browser.ts';
import { PLACES } from '../test/e2e/console-places.ts';
import { buildConsole } from './console.ts';

const ROOT = dirname(import.meta.dirname);
const LAUNCH = join(ROOT, 'launch.mjs');
const THEMES = ['light', 'dark'] as const;
const WIDTHS = [360, 1440] as const;
/** Long enough for what is read and drawn after the page. */
const SETTLE_MS = 1500;

const folder = resolve(process.argv[2] ?? join(ROOT, 'gallery'));
const data = mkdtempSync(join(tmpdir(), 'signalbox-gallery-'));
const env = { ...process.env, SIGNALBOX_DATA: data, PORT: '0', LOG_LEVEL: 'warn' };

/** Its address, once it listens. */
async function startDemo(): Promise<{ url: string; stop: () => void }> {
  const server = spawn(process.execPath, [LAUNCH, 'serve', '--demo'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const text of server.stdout.setEncoding('utf8')) {
    const [, url] = /"url":"(http[^"]+)"/.exec(String(text)) ?? [];
    if (url !== undefined) return { url, stop: () => server.kill() };
  }
  throw new Error('The server did not start.');
}

async function logInTo(page: Page): Promise<void> {
  const status = execFileSync(process.execPath, [LAUNCH, 'status', '--login', '--json'], {
    env,
    encoding: 'utf8',
  });
  const { loginLink } = JSON.parse(status) as { loginLink: string };
  await page.goto(loginLink);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.waitForURL('**/console');
}

await buildConsole();
mkdirSync(folder, { recursive: true });
const { url, stop } = await startDemo();
const browser = await startBrowser();
try {
  for (const colorScheme of THEMES) {
    for (const width of WIDTHS) {
      const context = await openProfile(browser, { colorScheme, viewport: { width, height: 900 } });
      const page = await context.newPage();
      await logInTo(page);
      for (const [name, path] of Object.entries(PLACES)) {
        await page.goto(`${url}/console${path}`);
        await page.locator('#main').waitFor();
        await page.waitForTimeout(SETTLE_MS);
        await page.screenshot({
          path: join(folder, `${name}-${colorScheme}-${width}.png`),
          fullPage: name === 'states',
        });
      }
      await context.close();
    }
  }
} finally {
  await browser.close();
  stop();
  rmSync(data, { recursive: true, force: true, maxRetries: 10 });
}
writeFileSync(join(folder, 'index.html'), indexPage());
console.log(join(folder, 'index.html'));

function indexPage(): string {
  const pictures = Object.keys(PLACES).map((name) => {
    const images = WIDTHS.flatMap((width) =>
      THEMES.map((theme) => `<img src="${name}-${theme}-${width}.png" width="${width / 3}" alt="">`),
    );
    return `<h2>${name}</h2><p>${images.join(' ')}</p>`;
  });
  return `<!doctype html><meta charset="utf-8"><title>Console</title>${pictures.join('\n')}\n`;
}
