// A real browser for tests: the system's Chromium, or the one of an npm package, with an empty profile and no way out.
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { chromium, type Browser } from 'playwright-core';

/** A name that the browser takes for a foreign site. Every other name but 127.0.0.1 is unknown to it. */
export const ELSEWHERE = 'elsewhere.test';

const SYSTEM_PATHS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

const systemPath = SYSTEM_PATHS.find((path) => existsSync(path));
/** The package holds a program for this kind of machine only. */
const hasPackage = process.platform === 'linux' && process.arch === 'x64';

/** Why tests in a browser are skipped on this machine; false where they run. Fits the `skip` option of a test. */
export const noBrowser: string | false =
  systemPath !== undefined || hasPackage
    ? false
    : `no Chromium on this machine: none of ${SYSTEM_PATHS.join(', ')}, and the npm package has none for ` +
      `${process.platform} on ${process.arch}`;

const ARGUMENTS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-proxy-server',
  `--host-resolver-rules=MAP ${ELSEWHERE} 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1`,
  // As root Chromium refuses to set up the sandbox of its processes; the one of the package has none.
  ...(userInfo().uid === 0 || systemPath === undefined ? ['--no-sandbox'] : []),
];

/** Starting one takes seconds: a file of tests shares one, and gives each test a context of its own. */
export async function startBrowser(): Promise<Browser> {
  return await chromium.launch({
    executablePath: systemPath ?? (await packagedPath()),
    headless: true,
    args: ARGUMENTS,
    timeout: 60_000,
  });
}

/**
 * The package unpacks the libraries that its browser needs only where this variable is set. The arguments that it
 * recommends are not used: one of them switches off the rules between origins, which are what is tested.
 */
async function packagedPath(): Promise<string> {
  process.env['AWS_EXECUTION_ENV'] ??= 'AWS_Lambda_nodejs22.x';
  const { default: packaged } = await import('@sparticuz/chromium');
  packaged.setGraphicsMode = false;
  return await packaged.executablePath();
}
