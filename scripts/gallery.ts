// Pictures of every page of the console, from the demo: light and dark, narrow and wide. `npm run gallery -- FOLDER`. With `--readme`
// it writes the pictures of the README instead, into docs/pictures.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { FURTHER_PLACES, PLACES } from '../test/e2e/console-places.ts';
import { withDemo, type DemoBrowser } from './demo-browser.ts';
import { takeReadmePictures } from './readme-pictures.ts';

const ROOT = dirname(import.meta.dirname);
const ALL_PLACES = { ...PLACES, ...FURTHER_PLACES };
const THEMES = ['light', 'dark'] as const;
const WIDTHS = [360, 1440] as const;
/** Long enough for what is read and drawn after the page. */
const SETTLE_MS = 1500;

const [place] = process.argv.slice(2);
if (place === '--readme') await takeReadmePictures(join(ROOT, 'docs/pictures'));
else await takeAll(resolve(place ?? join(ROOT, 'gallery')));

async function takeAll(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await withDemo((demo) => takeEach(demo, folder));
  writeFileSync(join(folder, 'index.html'), indexPage());
  console.log(join(folder, 'index.html'));
}

async function takeEach({ url, open }: DemoBrowser, folder: string): Promise<void> {
  for (const colorScheme of THEMES)
    for (const width of WIDTHS) {
      const page = await open({ colorScheme, viewport: { width, height: 900 } });
      for (const [name, path] of Object.entries(ALL_PLACES)) {
        await page.goto(`${url}/console${path}`);
        await page.locator('#main').waitFor();
        await page.waitForTimeout(SETTLE_MS);
        await page.screenshot({
          path: join(folder, `${name}-${colorScheme}-${width}.png`),
          fullPage: name === 'states',
        });
      }
      await page.context().close();
    }
}

function indexPage(): string {
  const pictures = Object.keys(ALL_PLACES).map((name) => {
    const images = WIDTHS.flatMap((width) =>
      THEMES.map((theme) => `<img src="${name}-${theme}-${width}.png" width="${width / 3}" alt="">`),
    );
    return `<h2>${name}</h2><p>${images.join(' ')}</p>`;
  });
  return `<!doctype html><meta charset="utf-8"><title>Console</title>${pictures.join('\n')}\n`;
}
