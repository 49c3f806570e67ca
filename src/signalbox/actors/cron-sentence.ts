// A cron expression in words: when a schedule fires.
import { fieldsOfCron } from '../../actors/schedules/cron.ts';

const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

/** More times than these are not listed one by one. */
const MAX_TIMES = 6;

/** Throws a failure where the expression is not valid. */
export function sentenceOfCron(expression: string): string {
  const [second, minute, hour, day, month, weekday] = fieldsOfCron(expression) as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const sentence = [timesOf(second, minute, hour), daysOf(day, weekday), monthsOf(month)]
    .filter((part) => part !== '')
    .join(', ');
  return `${sentence}.`;
}

function isEvery(field: string): boolean {
  return field === '*' || field === '?' || field === '*/1';
}

/** The numbers of a plain list such as `5` or `1,15`. */
function numbersOf(field: string): number[] | undefined {
  return /^\d+(?:,\d+)*$/.test(field)
    ? [...new Set(field.split(',').map(Number))].sort((a, b) => a - b)
    : undefined;
}

function timesOf(second: string, minute: string, hour: string): string {
  const [seconds, minutes, hours] = [numbersOf(second), numbersOf(minute), numbersOf(hour)];
  if (seconds?.length === 1 && minutes !== undefined && hours !== undefined) {
    const times = hours.flatMap((h) => minutes.map((m) => clockOf(h, m, seconds[0])));
    if (times.length <= MAX_TIMES) return `At ${join(times)}`;
  }
  const ofSecond = second === '0' ? '' : partOf(second, 'second');
  const ofMinute = minutePart(minute, hour, ofSecond !== '');
  const ofHour = isEvery(hour) ? '' : hourPart(hour);
  const parts = [ofSecond, ofMinute, ofHour].filter((part) => part !== '');
  return capitalize(parts.join(' of ').replace(' of during', ' during') || 'every second');
}

function minutePart(minute: string, hour: string, hasSeconds: boolean): string {
  if (isEvery(minute)) return 'every minute';
  const step = stepOf(minute);
  if (step !== undefined) return 60 % step === 0 ? `every ${step} minutes` : `every ${ordinal(step)} minute`;
  if (minute === '0' && isEvery(hour) && !hasSeconds) return 'every hour, on the hour';
  const part = partOf(minute, 'minute');
  return isEvery(hour) ? `${part} of every hour` : part;
}

function hourPart(hour: string): string {
  const step = stepOf(hour);
  if (step !== undefined)
    return 24 % step === 0 ? `every ${step} hours` : `every ${ordinal(step)} hour of the day`;
  const range = /^(\d+)-(\d+)$/.exec(hour);
  if (range !== null) return `during the hours from ${clockOf(+range[1]!)} to ${clockOf(+range[2]!, 59)}`;
  return partOf(hour, 'hour');
}

/** The step of `*` with a slash, such as 15 of every 15 minutes. */
function stepOf(field: string): number | undefined {
  const step = /^[*?]\/(\d+)$/.exec(field)?.[1];
  return step === undefined ? undefined : Number(step);
}

/** One field in general: lists, ranges and steps. */
function partOf(field: string, unit: string, nameOf: (word: string) => string = (word) => word): string {
  if (isEvery(field)) return `every ${unit}`;
  const words = field.split(',').map((item) => {
    const [, range = '', step] = /^([^/]+)(?:\/(\d+))?$/.exec(item) ?? [];
    const [from = '', to] = range.split('-');
    const span = to === undefined ? nameOf(from) : `${nameOf(from)} to ${nameOf(to)}`;
    if (step === undefined) return span;
    const every = `every ${step === '1' ? unit : `${ordinal(Number(step))} ${unit}`}`;
    return isEvery(range) ? every : `${every} from ${to === undefined ? `${span} on` : span}`;
  });
  const isNamed = nameOf('1') !== '1';
  const isPlural = words.length > 1 || /^\d+ to /.test(words[0]!);
  const prefix = isNamed || words[0]!.startsWith('every') ? '' : `${unit}${isPlural ? 's' : ''} `;
  return `${prefix}${join(words)}`;
}

function daysOf(day: string, weekday: string): string {
  const ofMonth = isEvery(day) ? '' : dayPart(day);
  const needsBoth = weekday.startsWith('+');
  const named = needsBoth ? weekday.slice(1) : weekday;
  const ofWeek = isEvery(named) ? '' : weekdayPart(named);
  if (ofMonth === '' && ofWeek === '') return '';
  if (ofMonth === '' || ofWeek === '') return `${ofMonth}${ofWeek}`;
  // Where both are given, either is enough, unless the day of the week has a plus sign.
  return needsBoth ? `${ofMonth}, if it is ${ofWeek.replace(/^on /, '')}` : `${ofMonth} and ${ofWeek}`;
}

function dayPart(day: string): string {
  const step = stepOf(day);
  if (step !== undefined) return `every ${ordinal(step)} day of the month`;
  const words = day.split(',').map((item) => {
    if (/^l$/i.test(item)) return 'the last day of the month';
    const nearest = /^(\d+)w$/i.exec(item)?.[1];
    if (nearest !== undefined) return `the weekday nearest to the ${ordinal(Number(nearest))}`;
    const [from, to] = item.split('-');
    if (/^\d+$/.test(item)) return `the ${ordinal(Number(item))}`;
    if (/^\d+-\d+$/.test(item)) return `the ${ordinal(Number(from))} to the ${ordinal(Number(to))}`;
    return partOf(item, 'day of the month');
  });
  return `on ${join(words)}`;
}

const ORDER = ['', 'first', 'second', 'third', 'fourth', 'fifth'];

function weekdayPart(weekday: string): string {
  const words = weekday.split(',').map((item) => {
    const nth = /^(\w+)#(\d|L)$/i.exec(item);
    if (nth !== null)
      return `the ${/l/i.test(nth[2]!) ? 'last' : (ORDER[Number(nth[2])] ?? ordinal(Number(nth[2])))} ${dayName(nth[1]!)} of the month`;
    const last = /^(\d|[a-z]{3})l$/i.exec(item)?.[1];
    if (last !== undefined) return `the last ${dayName(last)} of the month`;
    return partOf(item, 'day of the week', dayName);
  });
  return `on ${join(words)}`;
}

function monthsOf(month: string): string {
  if (isEvery(month)) return '';
  const step = stepOf(month);
  if (step !== undefined) return `every ${ordinal(step)} month of the year`;
  return `in ${partOf(month, 'month', (word) => nameIn(MONTHS, word, 1))}`;
}

function dayName(word: string): string {
  return nameIn(DAYS, word === '7' ? '0' : word, 0);
}

function nameIn(names: readonly string[], word: string, first: number): string {
  const named = /^\d+$/.test(word)
    ? names[Number(word) - first]
    : names.find((name) => name.slice(0, 3).toLowerCase() === word.slice(0, 3).toLowerCase());
  return named ?? word;
}

function clockOf(hour: number, minute = 0, second = 0): string {
  const two = (number: number) => String(number).padStart(2, '0');
  return `${two(hour)}:${two(minute)}${second === 0 ? '' : `:${two(second)}`}`;
}

function ordinal(number: number): string {
  const ending =
    number % 100 >= 11 && number % 100 <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][number % 10] ?? 'th');
  return `${number}${ending}`;
}

function join(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
