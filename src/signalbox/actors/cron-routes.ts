// Previews of cron expressions: in words, and when they fire next.
import { checkCron, MAX_CRON_LENGTH, nextFiring } from '../../actors/schedules/cron.ts';
import { checkTimeZone, momentsOf, wallTimeAt } from '../../actors/schedules/time-zone.ts';
import { route } from '../../kernel/http/route.ts';
import { OneOf, PlainText, Type, type Static } from '../../kernel/schema/schema.ts';
import { TimeSlice } from '../../kernel/yield-to-event-loop.ts';
import { sentenceOfCron } from './cron-sentence.ts';

const MAX_TIMES = 20;
const USUAL_TIMES = 5;
const SECOND_MS = 1000;
const MINUTE_MS = 60_000;

const CronPreviewPost = Type.Object(
  {
    expression: PlainText({ minLength: 1, maxLength: MAX_CRON_LENGTH }),
    timezone: Type.Optional(
      PlainText({ maxLength: 100, description: 'Such as `Europe/Prague`; UTC when not given' }),
    ),
    count: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_TIMES, description: `${USUAL_TIMES} when not given` }),
    ),
  },
  { $id: 'CronPreviewPost', additionalProperties: false },
);

const CronTime = Type.Object(
  {
    at: Type.Integer(),
    local: Type.String({ description: 'What clocks in the time zone show, with the offset from UTC' }),
    utcOffset: Type.String({ description: 'Such as `+02:00`' }),
    clocks: Type.Optional(
      OneOf(['forward', 'back'], {
        description: 'Clocks were set since the time before; for the first, since now',
      }),
    ),
    note: Type.Optional(
      OneOf(['skipped', 'twice'], {
        description:
          '`skipped`: clocks skip the time, and it fires right after; `twice`: clocks show the time twice. A schedule that names hours fires at the first only',
      }),
    ),
  },
  { $id: 'CronTime' },
);

const CronPreview = Type.Object(
  {
    sentence: Type.String({ description: 'When it fires, in words, by clocks in the time zone' }),
    timezone: Type.String(),
    times: Type.Array(CronTime, {
      description: 'Fewer than asked for where it does not fire again within eight years',
    }),
  },
  { $id: 'CronPreview' },
);

const previewCron = route(
  {
    id: 'previewCron',
    method: 'POST',
    path: '/cron/preview',
    summary: 'Preview a cron expression',
    description: 'What it means, and when it fires next, by the rules of schedules.',
    access: 'caller',
    isData: true,
    worksOnFullDisk: true,
    body: CronPreviewPost,
    reply: { 200: CronPreview },
  },
  async ({ body, now }) => {
    const { expression, timezone = 'UTC', count = USUAL_TIMES } = body;
    checkTimeZone(timezone);
    checkCron(expression, now);
    const slice = new TimeSlice();
    const times: Static<typeof CronTime>[] = [];
    for (let after = now; times.length < count;) {
      const at = nextFiring(expression, timezone, after);
      if (at === undefined) break;
      times.push(showTime(expression, timezone, at, after));
      after = at;
      if (slice.isOver) await slice.yieldToEventLoop();
    }
    return { sentence: sentenceOfCron(expression), timezone, times };
  },
);

function showTime(expression: string, zone: string, at: number, before: number): Static<typeof CronTime> {
  const wall = wallTimeAt(zone, at);
  const offset = wall - at;
  const change = offset - offsetAt(zone, before);
  const utcOffset = showOffset(offset);
  const note = noteOf(expression, zone, wall);
  return {
    at,
    local: `${new Date(wall).toISOString().slice(0, 19)}${utcOffset}`,
    utcOffset,
    ...(change !== 0 && { clocks: change > 0 ? ('forward' as const) : ('back' as const) }),
    ...(note !== undefined && { note }),
  };
}

/** Of whole seconds, as the wall clock has them. */
function offsetAt(zone: string, moment: number): number {
  const second = Math.floor(moment / SECOND_MS) * SECOND_MS;
  return wallTimeAt(zone, second) - second;
}

function noteOf(expression: string, zone: string, wall: number): 'skipped' | 'twice' | undefined {
  // The expression does not name this time, so that it stands for one that was skipped.
  if (nextFiring(expression, 'UTC', wall - SECOND_MS) !== wall) return 'skipped';
  return momentsOf(zone, wall).moments.length === 2 ? 'twice' : undefined;
}

function showOffset(offset: number): string {
  const minutes = Math.round(Math.abs(offset) / MINUTE_MS);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

export const cronRoutes = [previewCron];
