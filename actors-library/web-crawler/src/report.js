// Counts what a crawl does. The counts survive a restart of the run.

/** Further errors are counted only. */
const MAX_ERRORS = 1000;

/**
 * @typedef {object} Report
 * @property {string} startedAt
 * @property {number} succeeded
 * @property {number} failed
 * @property {number} items
 * @property {Record<string, number>} skipped By the reason.
 * @property {{ url: string, error: string, retries: number }[]} errors
 */

/** @returns {Report} */
export function newReport() {
  return { startedAt: new Date().toISOString(), succeeded: 0, failed: 0, items: 0, skipped: {}, errors: [] };
}

/**
 * @param {Report} report
 * @param {string} reason
 */
export function countSkipped({ skipped }, reason) {
  skipped[reason] = (skipped[reason] ?? 0) + 1;
}

/**
 * @param {Report} report
 * @param {{ url: string, error: string, retries: number }} failure
 */
export function addFailure(report, failure) {
  report.failed += 1;
  if (report.errors.length < MAX_ERRORS) report.errors.push(failure);
}

/**
 * The record OUTPUT.
 * @param {Report} report
 * @param {Date} now
 */
export function summaryOf({ startedAt, succeeded, failed, items, skipped, errors }, now) {
  const seconds = (now.getTime() - Date.parse(startedAt)) / 1000;
  return {
    startedAt,
    finishedAt: now.toISOString(),
    seconds,
    pages: { succeeded, failed, skipped },
    pagesPerMinute: Math.round(((succeeded + failed) / Math.max(seconds, 0.001)) * 60),
    items,
    errors: errors.slice(0, 20),
  };
}

/** @param {Report} report */
export function statusOf({ succeeded, failed, items }) {
  const failures = failed === 0 ? '' : `, ${failed} failed`;
  return `Crawled ${succeeded + failed} ${succeeded + failed === 1 ? 'page' : 'pages'}${failures}, stored ${items} ${items === 1 ? 'item' : 'items'}.`;
}
