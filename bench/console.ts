// The console in a browser whose CPU is slowed four times: how soon pages are there, what they load, what holds them up.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { CDPSession, Page } from 'playwright-core';
import { insertMember } from '../src/kernel/identity/store-members.ts';
import { buildConsole } from '../scripts/console.ts';
import { logIn, openProfile, startBrowser } from '../test/e2e/browser.ts';
import { insertManyFlags } from '../test/many-flags.ts';
import { giveToken } from '../test/people.ts';
import { startServer, type TestServer } from '../test/server.ts';
import { median, type Effort } from './compare.ts';
import { benchConsoleActors } from './console-actors.ts';
import { benchConsoleCode } from './console-code.ts';
import type { Row } from './report.ts';

const SLOWDOWN = 4;
const FLAGS = 1000;
const VERY_MANY = 10_000;
const BUILT = new URL('../console/dist/', import.meta.url).pathname;
const KB = 1000;

/** Each with what shows that it is ready. */
const PAGES = {
  home: { path: '/console', ready: 'h1' },
  flags: { path: '/console/flags/many', ready: 'tbody tr' },
  audit: { path: '/console/account/audit', ready: 'tbody tr' },
  tokens: { path: '/console/account/tokens', ready: 'tbody tr' },
} as const;

interface Visit {
  paintMs: number;
  readyMs: number;
  blockedMs: number;
  shift: number;
}

export async function benchConsole(effort: Effort): Promise<Row[]> {
  const { rounds } = effort;
  await buildConsole();
  const server = await startServer({ limits: 'off' });
  const browser = await startBrowser();
  try {
    const { db, clock } = server.app.kernel;
    const owner = { username: 'ada', email: 'ada@example.com', role: 'owner' as const };
    const ada = await insertMember(db, owner, null, clock.now());
    // Something for the lists of tokens and of changes.
    await server.call('/api/v2/tokens', {
      method: 'POST',
      body: { name: 'ci', role: 'reader', serviceToken: true },
    });
    await insertManyFlags(server.app.kernel, 'many', FLAGS);
    const context = await openProfile(browser, { viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    await logIn(page, server, ada);
    const devtools = await context.newCDPSession(page);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
    const rows: Row[] = sizes();
    for (const [name, { path, ready }] of Object.entries(PAGES)) {
      const visits: Visit[] = [];
      for (let round = 0; round < rounds; round += 1)
        visits.push(await visit(page, devtools, server.url + path, ready));
      rows.push(...rowsOf(name, visits));
    }
    rows.push(await benchPalette(page, rounds));
    const { value: token } = await giveToken(server, ada, { role: 'owner' });
    rows.push(...(await benchConsoleActors({ server, page, devtools, userId: ada.id, token }, effort)));
    // As fast as the machine is: these budgets are about what a person waits for.
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: 1 });
    await insertManyFlags(server.app.kernel, 'very-many', VERY_MANY);
    rows.push(...(await benchList(page, server, rounds)));
    rows.push(...(await benchConsoleCode(server, page, effort)));
    return rows;
  } finally {
    await browser.close();
    await server.stop();
  }
}

/** With an empty cache, as on the first day. */
async function visit(page: Page, devtools: CDPSession, url: string, ready: string): Promise<Visit> {
  await devtools.send('Network.clearBrowserCache');
  await page.goto(url);
  await page.locator(`main ${ready}`).first().waitFor();
  return await page.evaluate<Visit>(`(async () => {
    const readyMs = performance.now();
    const entries = (type) => new Promise((resolve) => {
      new PerformanceObserver((list) => resolve(list.getEntries())).observe({ type, buffered: true });
      setTimeout(() => resolve([]), 200);
    });
    const [paints, tasks, shifts] = await Promise.all(['paint', 'longtask', 'layout-shift'].map(entries));
    return {
      paintMs: paints.find(({ name }) => name === 'first-contentful-paint')?.startTime ?? 0,
      readyMs,
      blockedMs: tasks.reduce((sum, { duration }) => sum + duration - 50, 0),
      shift: shifts.reduce((sum, { value }) => sum + value, 0),
    };
  })()`);
}

function rowsOf(name: string, visits: readonly Visit[]): Row[] {
  const of = (pick: (one: Visit) => number) => median(visits.map(pick));
  return [
    row(
      `${name}: first paint`,
      of(({ paintMs }) => paintMs),
      800,
      'ms',
    ),
    row(
      `${name}: ready`,
      of(({ readyMs }) => readyMs),
      2500,
      'ms',
    ),
    row(
      `${name}: blocked`,
      of(({ blockedMs }) => blockedMs),
      1200,
      'ms',
    ),
    row(
      `${name}: layout shift, thousandths`,
      of(({ shift }) => shift * 1000),
      20,
      '',
    ),
  ];
}

/** From the key until the field has the focus. */
async function benchPalette(page: Page, rounds: number): Promise<Row> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    times.push(
      await page.evaluate<number>(`(async () => {
        const begun = performance.now();
        dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true, bubbles: true }));
        while (document.activeElement?.getAttribute('role') !== 'combobox')
          await new Promise((resolve) => requestAnimationFrame(resolve));
        return performance.now() - begun;
      })()`),
    );
    await page.keyboard.press('Escape');
    await page.locator('dialog[open]').waitFor({ state: 'detached' });
  }
  // The first loads its code.
  return row('palette opens', median(times.slice(1)), 80, 'ms');
}

/** The list of ten thousand flags: its first rows, a filter, a switch, and a switch that somebody else has turned. */
async function benchList(page: Page, server: TestServer, rounds: number): Promise<Row[]> {
  const list = '/console/flags/very-many?sort=name&env=test';
  const times: Record<'rows' | 'filter' | 'toggle' | 'elsewhere', number[]> = {
    rows: [],
    filter: [],
    toggle: [],
    elsewhere: [],
  };
  for (let round = 0; round <= rounds; round += 1) {
    await page.goto(`${server.url}/console/flags`);
    await page.locator('main h1').waitFor();
    times.rows.push(await timeRows(page, list));
    await page.getByText('Live', { exact: true }).waitFor();
    times.filter.push(await timeFilter(page, `flag-${1200 + round}`));
    times.toggle.push(await timeToggle(page));
    times.elsewhere.push(await timeElsewhere(page, server, `flag-${1200 + round}`));
  }
  // The first round loads code.
  const of = (name: keyof typeof times) => median(times[name].slice(1));
  const machine = 'Chromium, as fast as the machine is';
  return [
    row('10,000 flags: first rows', of('rows'), 400, 'ms', machine),
    row('10,000 flags: filter', of('filter'), 200, 'ms', machine),
    row('10,000 flags: toggle shown', of('toggle'), 50, 'ms', machine),
    row('10,000 flags: a change elsewhere', of('elsewhere'), 1000, 'ms', machine),
  ];
}

/** Runs in the page, so that the way to the browser is not measured. */
const UNTIL = `const until = async (isSo) => {
  const begun = performance.now();
  while (!isSo()) await new Promise((resolve) => requestAnimationFrame(resolve));
  return performance.now() - begun;
};`;

/** From the click on a link inside of the console. */
function timeRows(page: Page, path: string): Promise<number> {
  return page.evaluate<number>(`(async () => { ${UNTIL}
    history.pushState(null, '', ${JSON.stringify(path)});
    dispatchEvent(new PopStateEvent('popstate'));
    return await until(() => document.querySelector('tbody tr[data-key="flag-0001"]') !== null);
  })()`);
}

function timeFilter(page: Page, words: string): Promise<number> {
  return page.evaluate<number>(`(async () => { ${UNTIL}
    const field = document.querySelector('[data-filter]');
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, ${JSON.stringify(words)});
    field.dispatchEvent(new InputEvent('input', { bubbles: true }));
    return await until(() => document.querySelectorAll('tbody tr[data-key]').length === 1);
  })()`);
}

function timeToggle(page: Page): Promise<number> {
  return page.evaluate<number>(`(async () => { ${UNTIL}
    const button = document.querySelector('tbody [role="switch"]');
    const before = button.getAttribute('aria-checked');
    button.click();
    return await until(
      () => document.querySelector('tbody [role="switch"]').getAttribute('aria-checked') !== before,
    );
  })()`);
}

/** Between the answer to the other and the switch that moves. */
async function timeElsewhere(page: Page, server: TestServer, flag: string): Promise<number> {
  const isOn = () => page.locator('tbody [role="switch"]').first().getAttribute('aria-checked');
  await page.getByText('Undo').first().waitFor();
  const before = await isOn();
  const moved = page.locator(`tbody [role="switch"]:not([aria-checked="${before}"])`).first().waitFor();
  const body = {
    environmentKey: 'test',
    instructions: [{ kind: before === 'true' ? 'turnFlagOff' : 'turnFlagOn' }],
  };
  const answer = await server.call(`/api/v2/flags/very-many/${flag}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json; domain-model=launchdarkly.semanticpatch' },
    body,
  });
  if (answer.status !== 200) throw new Error(answer.text);
  const begun = performance.now();
  await moved;
  return performance.now() - begun;
}

/** Compressed by gzip, as the budgets have them. */
function sizes(): Row[] {
  const page = readFileSync(join(BUILT, 'index.html'), 'utf8');
  const names = [...page.matchAll(/(?:src|href)="\.\/assets\/([\w.-]+)"/g)].map(([, name]) => name!);
  const all = readdirSync(join(BUILT, 'assets')).filter((name) => name.endsWith('.gz'));
  const bytesOf = (name: string) => statSync(join(BUILT, 'assets', `${name}.gz`)).size;
  const sum = (list: readonly string[]) => list.reduce((total, name) => total + bytesOf(name), 0);
  const scripts = names.filter((name) => name.endsWith('.js'));
  return [
    row('scripts of the entry', sum(scripts) / KB, 90, 'kB'),
    row('the whole build', sum(all.map((name) => name.slice(0, -3))) / KB, 900, 'kB'),
  ];
}

function row(what: string, measured: number, most: number, unit: string, against?: string): Row {
  const shown = `${measured.toFixed(unit === 'kB' ? 1 : 0)} ${unit}`.trim();
  return {
    what,
    value: shown,
    against: against ?? (unit === 'kB' ? 'gzip' : `Chromium, CPU slowed ${SLOWDOWN} times`),
    target: `≤ ${most} ${unit}`.trim(),
    isMet: measured <= most,
  };
}
