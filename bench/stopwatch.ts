// Measures tasks in the console from its home on: how long they take, and how many clicks.
import type { Locator, Page } from 'playwright-core';
import type { Row } from './report.ts';

/** Seconds that a person would wait for the pages; thinking and reading are not counted. */
const MOST_SECONDS = 10;

export class Stopwatch {
  readonly page: Page;
  clicks = 0;

  constructor(page: Page) {
    this.page = page;
  }

  async click(target: Locator): Promise<void> {
    this.clicks += 1;
    await target.click();
  }

  async go(section: string, name: string): Promise<void> {
    const link = this.page.locator('.rail').getByRole('link', { name, exact: true });
    if (!(await link.isVisible())) await this.click(this.page.locator('.rail summary', { hasText: section }));
    await this.click(link);
  }
}

export type Tasks = Readonly<Record<string, (watch: Stopwatch) => Promise<void>>>;

/** One after another, each from `home` on. */
export async function timeTasks(page: Page, home: string, tasks: Tasks): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [what, task] of Object.entries(tasks)) {
    await page.goto(home);
    await page.locator('main h1').waitFor();
    const watch = new Stopwatch(page);
    const begun = performance.now();
    await task(watch);
    rows.push(row(what, (performance.now() - begun) / 1000, watch.clicks));
  }
  return rows;
}

function row(what: string, seconds: number, clicks: number): Row {
  return {
    what,
    value: `${seconds.toFixed(1)} s, ${clicks} clicks`,
    against: 'Chromium, a script that neither thinks nor reads',
    target: `≤ ${MOST_SECONDS} s`,
    isMet: seconds <= MOST_SECONDS,
  };
}
