// Cron expressions and time zones: what is refused, and when schedules fire as clocks are changed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '../../kernel/failure.ts';
import { checkCron, MAX_CRON_LENGTH, nextFiring } from './cron.ts';
import { checkTimeZone } from './time-zone.ts';

const NOW = Date.parse('2026-11-16T07:30:00Z');

function firings(expression: string, zone: string, after: string, count: number): string[] {
  const found: string[] = [];
  let moment = Date.parse(after);
  for (let index = 0; index < count; index += 1) {
    moment = nextFiring(expression, zone, moment)!;
    found.push(new Date(moment).toISOString().replace('.000Z', 'Z'));
  }
  return found;
}

const TABLE: [what: string, expression: string, zone: string, after: string, expected: string[]][] = [
  [
    'five fields',
    '*/15 9 * * *',
    'UTC',
    '2026-11-16T07:30:00Z',
    ['2026-11-16T09:00:00Z', '2026-11-16T09:15:00Z'],
  ],
  ['six fields', '30 0 9 * * *', 'UTC', '2026-11-16T07:30:00Z', ['2026-11-16T09:00:30Z']],
  ['@yearly', '@yearly', 'UTC', '2026-11-16T07:30:00Z', ['2027-01-01T00:00:00Z', '2028-01-01T00:00:00Z']],
  ['@annually', '@annually', 'UTC', '2026-11-16T07:30:00Z', ['2027-01-01T00:00:00Z']],
  ['@monthly', '@monthly', 'UTC', '2026-11-16T07:30:00Z', ['2026-12-01T00:00:00Z', '2027-01-01T00:00:00Z']],
  ['@weekly, on Sundays', '@weekly', 'UTC', '2026-11-16T07:30:00Z', ['2026-11-22T00:00:00Z']],
  [
    '@daily',
    '@daily',
    'Asia/Tokyo',
    '2026-11-16T07:30:00Z',
    ['2026-11-16T15:00:00Z', '2026-11-17T15:00:00Z'],
  ],
  ['@midnight, in any case', '@MIDNIGHT', 'UTC', '2026-11-16T07:30:00Z', ['2026-11-17T00:00:00Z']],
  ['@hourly', '@hourly', 'UTC', '2026-11-16T07:30:00Z', ['2026-11-16T08:00:00Z', '2026-11-16T09:00:00Z']],
  ['a moment is after the one given', '0 * * * *', 'UTC', '2026-11-16T08:00:00Z', ['2026-11-16T09:00:00Z']],
  ['a leap day, also across 2100', '0 0 29 2 *', 'UTC', '2096-03-01T00:00:00Z', ['2104-02-29T00:00:00Z']],
  [
    'a zone off by 45 minutes',
    '0 0 * * *',
    'Asia/Kathmandu',
    '2026-11-16T07:30:00Z',
    ['2026-11-16T18:15:00Z'],
  ],
  ['sunday by 7', '0 0 * * 7', 'UTC', '2026-11-16T07:30:00Z', ['2026-11-22T00:00:00Z']],

  // Berlin: 2027-03-28 02:00 → 03:00 (01:00Z), 2027-10-31 03:00 → 02:00 (01:00Z).
  [
    'a skipped time fires right after the hour',
    '30 2 * * *',
    'Europe/Berlin',
    '2027-03-27T12:00:00Z',
    ['2027-03-28T01:00:00Z', '2027-03-29T00:30:00Z'],
  ],
  [
    'several skipped times fire once',
    '*/10 2 * * *',
    'Europe/Berlin',
    '2027-03-28T00:59:00Z',
    ['2027-03-28T01:00:00Z', '2027-03-29T00:00:00Z'],
  ],
  [
    'a skipped time and the one after it fire once',
    '0 2,3 * * *',
    'Europe/Berlin',
    '2027-03-28T00:00:00Z',
    ['2027-03-28T01:00:00Z', '2027-03-29T00:00:00Z'],
  ],
  [
    'times before and after the skipped hour stay',
    '0 1,4 * * *',
    'Europe/Berlin',
    '2027-03-27T23:00:00Z',
    ['2027-03-28T00:00:00Z', '2027-03-28T02:00:00Z'],
  ],
  [
    'a skipped midnight',
    '0 0 * * *',
    'Africa/Cairo',
    '2027-04-29T12:00:00Z',
    ['2027-04-29T22:00:00Z', '2027-04-30T21:00:00Z'],
  ],
  [
    'a doubled time fires at the first',
    '30 2 * * *',
    'Europe/Berlin',
    '2027-10-30T12:00:00Z',
    ['2027-10-31T00:30:00Z', '2027-11-01T01:30:00Z'],
  ],
  [
    'also when asked in the second hour',
    '30 2 * * *',
    'Europe/Berlin',
    '2027-10-31T01:10:00Z',
    ['2027-11-01T01:30:00Z'],
  ],
  [
    'all times of a doubled hour fire once',
    '*/20 2 * * *',
    'Europe/Berlin',
    '2027-10-30T23:59:00Z',
    ['2027-10-31T00:00:00Z', '2027-10-31T00:20:00Z', '2027-10-31T00:40:00Z', '2027-11-01T01:00:00Z'],
  ],
  [
    'hours after the doubled one wait for it',
    '30 2,3 * * *',
    'Europe/Berlin',
    '2027-10-31T00:00:00Z',
    ['2027-10-31T00:30:00Z', '2027-10-31T02:30:00Z'],
  ],

  [
    'every hour: nothing is skipped',
    '30 * * * *',
    'Europe/Berlin',
    '2027-03-28T00:00:00Z',
    ['2027-03-28T00:30:00Z', '2027-03-28T01:30:00Z'],
  ],
  [
    'every hour: a doubled hour is two',
    '30 * * * *',
    'Europe/Berlin',
    '2027-10-30T23:45:00Z',
    ['2027-10-31T00:30:00Z', '2027-10-31T01:30:00Z', '2027-10-31T02:30:00Z'],
  ],
  [
    'every 20 minutes goes on in the doubled hour',
    '*/20 * * * *',
    'Europe/Berlin',
    '2027-10-31T00:30:00Z',
    [
      '2027-10-31T00:40:00Z',
      '2027-10-31T01:00:00Z',
      '2027-10-31T01:20:00Z',
      '2027-10-31T01:40:00Z',
      '2027-10-31T02:00:00Z',
    ],
  ],
  [
    'every 20 minutes goes on after the skipped hour',
    '*/20 * * * *',
    'Europe/Berlin',
    '2027-03-28T00:30:00Z',
    ['2027-03-28T00:40:00Z', '2027-03-28T01:00:00Z', '2027-03-28T01:20:00Z'],
  ],

  [
    'a skipped hour before midnight fires at midnight',
    '30 23 * * *',
    'America/Scoresbysund',
    '2027-03-27T12:00:00Z',
    ['2027-03-28T01:00:00Z', '2027-03-29T00:30:00Z'],
  ],

  // New York: 2027-03-14 02:00 → 03:00 (07:00Z), 2027-11-07 02:00 → 01:00 (06:00Z).
  [
    'New York, skipped',
    '15 2 * * *',
    'America/New_York',
    '2027-03-13T12:00:00Z',
    ['2027-03-14T07:00:00Z', '2027-03-15T06:15:00Z'],
  ],
  [
    'New York, doubled',
    '15 1 * * *',
    'America/New_York',
    '2027-11-06T12:00:00Z',
    ['2027-11-07T05:15:00Z', '2027-11-08T06:15:00Z'],
  ],
  // Lord Howe moves by half an hour: 2027-04-04 02:00 → 01:30 (15:00Z the day before), 2027-10-03 02:00 → 02:30.
  [
    'Lord Howe, doubled half hour',
    '45 1 * * *',
    'Australia/Lord_Howe',
    '2027-04-03T10:00:00Z',
    ['2027-04-03T14:45:00Z', '2027-04-04T15:15:00Z'],
  ],
  [
    'Lord Howe, skipped half hour',
    '15 2 * * *',
    'Australia/Lord_Howe',
    '2027-10-02T10:00:00Z',
    ['2027-10-02T15:30:00Z', '2027-10-03T15:15:00Z'],
  ],
  [
    'Lord Howe, every hour',
    '0 * * * *',
    'Australia/Lord_Howe',
    '2027-04-03T13:30:00Z',
    ['2027-04-03T14:00:00Z', '2027-04-03T15:30:00Z', '2027-04-03T16:30:00Z'],
  ],
  // Troll moves by two hours: 2027-03-28 01:00 → 03:00 (01:00Z).
  [
    'Troll, two skipped hours',
    '30 1,2 * * *',
    'Antarctica/Troll',
    '2027-03-27T12:00:00Z',
    ['2027-03-28T01:00:00Z', '2027-03-28T23:30:00Z'],
  ],
  // Samoa left out 2011-12-30.
  [
    'a skipped day',
    '0 12 30 12 *',
    'Pacific/Apia',
    '2011-12-29T00:00:00Z',
    ['2011-12-30T10:00:00Z', '2012-12-29T22:00:00Z'],
  ],
];

for (const [what, expression, zone, after, expected] of TABLE) {
  test(`${what}: ${expression} in ${zone}`, () => {
    assert.deepEqual(firings(expression, zone, after, expected.length), expected);
  });
}

test('moments go strictly forward through the months in which clocks are changed', () => {
  const changes = [
    ['Europe/Berlin', '2027-03-26', '2027-03-30'],
    ['Europe/Berlin', '2027-10-29', '2027-11-02'],
    ['America/Santiago', '2027-04-02', '2027-04-06'],
    ['America/Santiago', '2027-09-03', '2027-09-07'],
    ['Australia/Lord_Howe', '2027-04-02', '2027-04-05'],
    ['Africa/Casablanca', '2027-02-05', '2027-02-09'],
    ['Africa/Casablanca', '2027-03-12', '2027-03-16'],
  ] as const;
  for (const [zone, from, to] of changes) {
    for (const expression of ['0 */2 * * *', '17 * * * *', '30 0-4 * * *', '59 59 23,0,1,2,3 * * *']) {
      let moment = Date.parse(from);
      let count = 0;
      for (; moment < Date.parse(to); count += 1) {
        const next = nextFiring(expression, zone, moment)!;
        assert.ok(next > moment, `${expression} in ${zone} after ${new Date(moment).toISOString()}`);
        // From any moment between two firings the next one is the same.
        const between = moment + Math.floor((next - moment) / 2);
        assert.equal(nextFiring(expression, zone, between), next, `${expression} ${zone} ${between}`);
        moment = next;
      }
      const hours = (Date.parse(to) - Date.parse(from)) / 3_600_000;
      if (expression === '17 * * * *') assert.ok(Math.abs(count - hours) <= 1, `${zone}: ${count}`);
    }
  }
});

const REFUSED: [expression: string, message: RegExp][] = [
  ['', /five fields/],
  ['* * * *', /five fields/],
  ['* * * * * * *', /five fields/],
  ['0 0 1 1 * 2030', /no valid day of the week: "2030"/],
  ['60 * * * *', /no valid minute: "60"/],
  ['0 0 32 * *', /no valid day of the month: "32"/],
  ['0 0 * 13 *', /no valid month: "13"/],
  ['* 24 * * *', /hour/],
  ['*/0 * * * *', /no valid minute/],
  ['nonsense', /five fields/],
  ['2030-01-01T00:00:00', /five fields/],
  ['@reboot', /@daily/],
  ['@every 5m', /@daily/],
  ['constructor', /must have five fields/],
  ['__proto__', /must have five fields/],
  ['0\u00000 * * * *', /five fields/],
  ['0\n0 * * *', /five fields/],
  ['０ ０ * * *', /five fields/],
  ['0 0 30 2 *', /none of the next 8 years/],
  ['0 0 31 4,6,9,11 *', /none of the next 8 years/],
  ['59 59 1,2,3 30W * +7', /none of the next 8 years/],
  ['* * * * * *', /every 10 seconds/],
  ['*/5 * * * * *', /every 10 seconds/],
  ['0,5 0 0 1 1 *', /every 10 seconds/],
  ['0,55 * * * * *', /every 10 seconds/],
  ['0,55 0,59 * * * *', /every 10 seconds/],
  ['0,55 3,4 1 * * *', /every 10 seconds/],
  ['0,'.repeat(MAX_CRON_LENGTH), /200 characters/],
];

for (const [expression, message] of REFUSED) {
  test(`the expression ${JSON.stringify(expression.slice(0, 40))} is refused`, () => {
    assert.throws(
      () => checkCron(expression, NOW),
      (error) => {
        assert.ok(error instanceof Failure && error.details.code === 'cron-expression-invalid');
        assert.match(error.message, message);
        return true;
      },
    );
  });
}

for (const expression of [
  '*/10 * * * * *',
  '0,10,20,30,40,50 * * * * *',
  '0,55 0 * * * *',
  '0,55 3,5 * * * *',
  '5,55 * * * * *',
  '0 0 29 2 *',
  ' 0  0 * * * ',
  '0 0 L * *',
  '0 9 * * MON-FRI',
  '0 0 ? JAN SUN',
]) {
  test(`the expression ${expression} is accepted`, () => checkCron(expression, NOW));
}

test('no expression holds the event loop for 50 ms', () => {
  const parts = [
    ['0', '*/10', '59', '0,30'],
    ['0', '*', '*/7', '59'],
    ['0', '*', '23', '1,2,3'],
    ['*', '31', '30', '30W', '1W,30W', 'L', 'LW', '15'],
    ['*', '2', '2,4', '4,6,9,11'],
    ['*', '+MON', '+MON#5', '+0#1', '+FRI#L', '+1#5,2#5,3#5', '+7'],
  ];
  const checked: [number, string][] = [];
  for (let index = 0; index < 1500; index += 1) {
    let rest = (index * 2_654_435_761) % 4_294_967_296;
    const expression = parts
      .map((words) => {
        const word = words[rest % words.length]!;
        rest = Math.floor(rest / words.length);
        return word;
      })
      .join(' ');
    const begun = process.cpuUsage();
    try {
      checkCron(expression, NOW);
    } catch (error) {
      assert.ok(error instanceof Failure, expression);
    }
    const { user, system } = process.cpuUsage(begun);
    checked.push([(user + system) / 1000, expression]);
  }
  // The slowest few pay for garbage collection and compilation.
  checked.sort(([one], [other]) => other - one);
  const [took, expression] = checked[5]!;
  assert.ok(took < 50, `${expression}: ${took} ms`);
});

for (const zone of [
  'UTC',
  'utc',
  'Europe/Prague',
  'europe/prague',
  'Etc/GMT+5',
  'America/Argentina/Buenos_Aires',
  'Asia/Kolkata',
]) {
  test(`the time zone ${zone} is accepted`, () => checkTimeZone(zone));
}

for (const zone of [
  '',
  'Nowhere/Land',
  '+01:00',
  'Europe/Prague\u0000',
  '../etc',
  'GMT+25',
  'x'.repeat(5000),
]) {
  test(`the time zone ${JSON.stringify(zone.slice(0, 20))} is refused`, () => {
    assert.throws(() => checkTimeZone(zone), /timezone .*is no time zone: use a name of the IANA database/);
  });
}
