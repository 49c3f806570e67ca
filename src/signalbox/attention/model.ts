// What needs attention, as replies show it: causes with an id that stays the same for as long as the cause does.
import { createHash } from 'node:crypto';
import { OneOf, Type, type Static } from '../../kernel/schema/schema.ts';
import { problem } from '../../kernel/schema/schema.ts';

/** The most urgent first. */
const URGENCIES = ['waiting', 'failing', 'coming'] as const;

const ATTENTION_KINDS = [
  'approval',
  'review',
  'failed-runs',
  'expired-locks',
  'webhook',
  'rate-limit',
  'paused',
  'late-work',
  'disk',
  'scheduled-change',
  'token',
  'version',
  'removable-flags',
] as const;

export const MAX_CAUSES = 50;

const AttentionItem = Type.Object(
  {
    id: Type.String({ description: 'The same for as long as the cause is; for snoozing' }),
    kind: OneOf(ATTENTION_KINDS),
    urgency: OneOf(URGENCIES, {
      description:
        '`waiting`: somebody waits for the caller; `failing`: something fails; `coming`: it comes soon',
    }),
    title: Type.String(),
    reason: Type.String({ description: 'Why it needs attention, in one sentence' }),
    at: Type.Integer({ description: 'When it happened last, or will happen, in epoch milliseconds' }),
    count: Type.Optional(Type.Integer({ description: 'How often' })),
    action: Type.Object({
      label: Type.String(),
      path: Type.String({ description: 'Of the page where it is done, below `/console/`' }),
    }),
  },
  { $id: 'AttentionItem' },
);

export const AttentionList = Type.Object(
  {
    items: Type.Array(AttentionItem),
    snoozed: Type.Array(
      Type.Object({ ...AttentionItem.properties, until: Type.Integer() }, { $id: 'SnoozedItem' }),
      { description: 'What would be listed if it were not snoozed' },
    ),
  },
  { $id: 'AttentionList' },
);

export type Cause = Static<typeof AttentionItem>;

const DAY = 24 * 60 * 60 * 1000;
const MAX_SNOOZE_MS = 30 * DAY;
/** Of one member. */
export const MAX_SNOOZES = 200;

export const SnoozePut = Type.Object(
  { until: Type.Integer({ description: 'In epoch milliseconds, at most 30 days ahead' }) },
  { $id: 'SnoozePut', additionalProperties: false },
);

export const Snooze = Type.Object({ id: Type.String(), until: Type.Integer() }, { $id: 'Snooze' });

export function checkSnooze(until: number, now: number): void {
  if (until <= now) throw problem('/until', 'must be in the future');
  if (until > now + MAX_SNOOZE_MS) throw problem('/until', 'must be at most 30 days ahead');
}

/** For a part of an id that is a text of any length. */
export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** By urgency; in each the newest first, and of what is coming the soonest. */
export function sortCauses(causes: readonly Cause[]): Cause[] {
  return causes.toSorted(
    (one, other) =>
      URGENCIES.indexOf(one.urgency) - URGENCIES.indexOf(other.urgency) ||
      (one.urgency === 'coming' ? one.at - other.at : other.at - one.at) ||
      (one.id < other.id ? -1 : 1),
  );
}

export const Today = Type.Object(
  {
    since: Type.Integer({ description: 'The beginning of the day, in epoch milliseconds' }),
    evaluations: Type.Optional(
      Type.Integer({
        description:
          'Of flags, as SDKs report them, in the projects that the caller may view; absent where there are too many rows to add up',
      }),
    ),
    runs: Type.Integer({ description: "Of the caller's account that began today" }),
    apiCalls: Type.Integer({
      description: "With the caller's own tokens, from the beginning of the hour in which the day began",
    }),
  },
  { $id: 'Today' },
);

/** When the day began in the time zone. */
export function startOfDay(now: number, timeZone: string): number {
  const clock = clockIn(timeZone);
  const { h, m, s } = clock(now);
  const guess = now - ((h * 60 + m) * 60 + s) * 1000 - (now % 1000);
  // The clocks may have been changed since midnight.
  const midnight = [0, 1, -1]
    .map((hours) => guess + hours * 60 * 60 * 1000)
    .find((at) => {
      const shown = clock(at);
      return at <= now && shown.h === 0 && shown.m === 0 && shown.day === clock(now).day;
    });
  return midnight ?? guess;
}

function clockIn(timeZone: string): (at: number) => { day: string; h: number; m: number; s: number } {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (at) => {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
    const numberOf = (type: Intl.DateTimeFormatPartTypes) => Number(parts.get(type));
    return { day: parts.get('day')!, h: numberOf('hour'), m: numberOf('minute'), s: numberOf('second') };
  };
}
