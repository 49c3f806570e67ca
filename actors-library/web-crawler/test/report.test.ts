// The counts of a crawl, and what is said about them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addFailure, countSkipped, newReport, statusOf, summaryOf } from '../src/report.js';

test('a report sums up', () => {
  const report = newReport();
  report.succeeded = 1;
  report.items = 1;
  assert.equal(statusOf(report), 'Crawled 1 page, stored 1 item.');
  countSkipped(report, 'robotsTxt');
  countSkipped(report, 'robotsTxt');
  addFailure(report, { url: 'https://a.test', error: 'gone', retries: 3 });
  assert.equal(statusOf(report), 'Crawled 2 pages, 1 failed, stored 1 item.');
  const { pages, items, errors, seconds, pagesPerMinute } = summaryOf(
    report,
    new Date(Date.parse(report.startedAt) + 30_000),
  );
  assert.deepEqual(pages, { succeeded: 1, failed: 1, skipped: { robotsTxt: 2 } });
  assert.deepEqual([items, seconds, pagesPerMinute], [1, 30, 4]);
  assert.deepEqual(errors, [{ url: 'https://a.test', error: 'gone', retries: 3 }]);
});

test('errors without end do not fill the memory', () => {
  const report = newReport();
  for (let index = 0; index < 5000; index += 1)
    addFailure(report, { url: `https://a.test/${index}`, error: 'gone', retries: 0 });
  assert.deepEqual([report.failed, report.errors.length], [5000, 1000]);
  assert.equal(summaryOf(report, new Date()).errors.length, 20);
});
