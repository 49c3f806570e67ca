// A real browser for tests: the system's Chromium, or the one of an npm package, with an empty profile and no network.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core';
import type { KnownCaller } from '../../src/kernel/identity/caller.ts';
import { insertLoginLink } from '../../src/kernel/identity/sessions/store-login-links.ts';
import { eventually, PATIENCE_MS } from '../eventually.ts';
import type { BrowserHeaders } from '../people.ts';
import type { TestServer } from '../server.ts';

/** A host name that the browser treats as another site. All other names except 127.0.0.1 are unknown to it. */
export const ELSEWHERE = 'elsewhere.test';

const SYSTEM_PATHS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

const systemPath = SYSTEM_PATHS.find((path) => existsSync(path));
/** The package contains a binary for this platform only. */
const hasPackage = process.platform === 'linux' && process.arch === 'x64';

/** The reason why browser tests are skipped on this machine, or false; fits the `skip` option of a test. */
export const noBrowser: string | false =
  systemPath !== undefined || hasPackage
    ? false
    : `no Chromium on this machine: none of ${SYSTEM_PATHS.join(', ')}, and the npm package has none for ` +
      `${process.platform} on ${process.arch}`;

/** The reason why PDFs cannot be looked at, or false: the packaged browser has no viewer. */
export const noPdfViewer: string | false = systemPath === undefined && 'the packaged browser has no viewer';

const ARGUMENTS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-proxy-server',
  `--host-resolver-rules=MAP ${ELSEWHERE} 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1`,
  // Chromium refuses to set up its sandbox as root; the one of the package has no sandbox.
  ...(userInfo().uid === 0 || systemPath === undefined ? ['--no-sandbox'] : []),
];

/** Starting a browser takes seconds: the tests of a file share one, with a context each. */
export async function startBrowser(): Promise<Browser> {
  const options = { headless: true, args: ARGUMENTS, timeout: PATIENCE_MS };
  if (systemPath !== undefined) return await chromium.launch({ ...options, executablePath: systemPath });
  const folder = await unpackBrowser();
  return await chromium.launch({
    ...options,
    executablePath: join(folder, 'chromium'),
    env: { ...process.env, LD_LIBRARY_PATH: join(folder, 'al2023/lib'), FONTCONFIG_PATH: folder },
  });
}

/** An empty profile, whose pages may be slow. Nothing in them moves: colours between two states would be looked at for barriers. */
export async function openProfile(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(PATIENCE_MS);
  // One that is closed meanwhile need not be slow.
  if (SLOWNESS > 1) context.on('page', (page) => void slowDown(context, page).catch(() => undefined));
  return context;
}

/** How many times slower than this machine the browser is, so that tests show what they only pass when things are quick. */
const SLOWNESS = Number(process.env['SIGNALBOX_TEST_SLOWNESS'] ?? 1);
const LATENCY_MS = 40;

async function slowDown(context: BrowserContext, page: Page): Promise<void> {
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWNESS });
  await session.send('Network.enable');
  const network = {
    offline: false,
    latency: LATENCY_MS * SLOWNESS,
    downloadThroughput: -1,
    uploadThroughput: -1,
  };
  await session.send('Network.emulateNetworkConditions', network);
}

/** By a one-time link, as people do. Returns what the browser has got. */
export async function logIn(
  page: Page,
  { app: { kernel }, url }: TestServer,
  member: KnownCaller['member'],
): Promise<BrowserHeaders> {
  await page.goto(`${url}/session/${await insertLoginLink(kernel.db, member, kernel.clock.now())}`);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.waitForURL(`${url}/console`);
  const [cookie] = await page.context().cookies(url);
  const secret = await page.evaluate<string>("localStorage.getItem('signalbox_session')");
  return { cookie: `${cookie!.name}=${cookie!.value}`, 'x-signalbox-session': secret };
}

/** By one of the processes of a test run, into a folder that all of them use. */
async function unpackBrowser(): Promise<string> {
  const folder = join(tmpdir(), 'packaged-browser');
  const isDone = join(folder, 'done');
  try {
    mkdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    await eventually(() => existsSync(isDone), 'the browser that another process unpacks');
    return folder;
  }
  await unpackInto(folder);
  // The configuration of the package names a folder of its own choice; without fonts the browser ends at the first text.
  writeFileSync(
    join(folder, 'fonts.conf'),
    `<fontconfig><dir>${folder}/fonts</dir><dir>/usr/share/fonts</dir><cachedir>${folder}/fonts-cache</cachedir></fontconfig>`,
  );
  writeFileSync(isDone, '');
  return folder;
}

/**
 * The package unpacks the libraries of its browser only if a variable says that it runs in a cloud, and into the folder for
 * temporary files. Its recommended arguments are not used: one of them disables the same-origin policy, which is tested here.
 */
async function unpackInto(folder: string): Promise<void> {
  const { AWS_EXECUTION_ENV: cloud = 'AWS_Lambda_nodejs22.x', TMPDIR: temporary } = process.env;
  process.env['AWS_EXECUTION_ENV'] = cloud;
  process.env['TMPDIR'] = folder;
  try {
    const { default: packaged } = await import('@sparticuz/chromium');
    packaged.setGraphicsMode = false;
    await packaged.executablePath();
  } finally {
    if (temporary === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = temporary;
  }
}
