// The Actor: reads its input, crawls, and reports.
import { Actor } from 'apify';
import { crawl } from './src/crawl.js';
import { InputError, parseInput } from './src/input.js';
import { newReport, statusOf, summaryOf } from './src/report.js';

await Actor.init();
try {
  const options = parseInput(await Actor.getInput());
  const report = await Actor.useState('REPORT', newReport());
  await crawl(options, report);
  await Actor.setValue('OUTPUT', summaryOf(report, new Date()));
  if (report.errors.length > 0 && options.errorsAs === 'record')
    await Actor.setValue('ERRORS', report.errors);
  const isFailed = report.succeeded === 0 && report.failed > 0;
  const message = statusOf(report);
  if (isFailed) await Actor.fail(`${message} The first error: ${report.errors[0]?.error}`);
  else await Actor.exit(message);
} catch (error) {
  if (!(error instanceof InputError)) throw error;
  await Actor.fail(error.message);
}
