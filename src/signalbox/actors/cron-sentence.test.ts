import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sentenceOfCron } from './cron-sentence.ts';

const SENTENCES: Record<string, string> = {
  '30 9 * * *': 'At 09:30.',
  '@daily': 'At 00:00.',
  '@weekly': 'At 00:00, on Sunday.',
  '@yearly': 'At 00:00, on the 1st, in January.',
  '@hourly': 'Every hour, on the hour.',
  '* * * * *': 'Every minute.',
  '*/15 * * * *': 'Every 15 minutes.',
  '*/7 * * * *': 'Every 7th minute.',
  '5 * * * *': 'Minute 5 of every hour.',
  '0 */6 * * *': 'Minute 0 of every 6 hours.',
  '0 9,17 * * 1-5': 'At 09:00 and 17:00, on Monday to Friday.',
  '0 9 * * MON,WED,FRI': 'At 09:00, on Monday, Wednesday and Friday.',
  '*/10 9-17 * * *': 'Every 10 minutes during the hours from 09:00 to 17:59.',
  '0 12 1,15 * *': 'At 12:00, on the 1st and the 15th.',
  '0 12 L * *': 'At 12:00, on the last day of the month.',
  '0 12 15W * *': 'At 12:00, on the weekday nearest to the 15th.',
  '0 12 * * FRI#2': 'At 12:00, on the second Friday of the month.',
  '0 12 * * 5L': 'At 12:00, on the last Friday of the month.',
  '0 12 13 * 5': 'At 12:00, on the 13th and on Friday.',
  '0 12 13 * +5': 'At 12:00, on the 13th, if it is Friday.',
  '0 0 1 1,7 *': 'At 00:00, on the 1st, in January and July.',
  '0 0 1 */3 *': 'At 00:00, on the 1st, every 3rd month of the year.',
  '30 0 12 * * *': 'At 12:00:30.',
  '*/20 * * * * *': 'Every 20th second of every minute.',
  '0 8 * 6-8 7': 'At 08:00, on Sunday, in June to August.',
  '10-20 3 * * *': 'Minutes 10 to 20 of hour 3.',
  '5-55/10 3 * * *': 'Every 10th minute from 5 to 55 of hour 3.',
};

test('a cron expression is said in words', () => {
  for (const [expression, sentence] of Object.entries(SENTENCES))
    assert.equal(sentenceOfCron(expression), sentence, expression);
});

test('an expression that is not valid has no sentence', () => {
  for (const expression of ['', 'often', '61 * * * *', '* * *', '@never', '<b> * * * *'])
    assert.throws(() => sentenceOfCron(expression), { kind: 'invalid' }, expression);
});
