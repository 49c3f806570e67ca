// Authors, committers and taggers in requests: a name, an address, and a time with its zone.
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import { problem, Type, type Static } from '../../kernel/schema/schema.ts';
import type { GitPerson } from '../git/commit-object.ts';
import { personOf } from '../repositories/person.ts';

const MAX_LENGTH = 1000;

export const SentPerson = Type.Object({
  name: Type.String({ minLength: 1, maxLength: MAX_LENGTH }),
  email: Type.String({ minLength: 1, maxLength: MAX_LENGTH }),
  date: Type.Optional(Type.String({ description: 'A time in ISO 8601 with its zone; now if absent' })),
});

/** The caller where nobody is named. */
export function personIn(
  sent: Static<typeof SentPerson> | undefined,
  field: string,
  { caller, now }: { caller: KnownCaller; now: number },
): GitPerson {
  if (sent === undefined) return personOf(accountOf(caller), now);
  const { name, email, date } = sent;
  return { name, email, ...(date === undefined ? { time: now, zone: 0 } : momentOf(date, `${field}.date`)) };
}

const MOMENT = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:\.\d+)?(?:Z|([+-])(\d\d):?(\d\d))$/i;

function momentOf(text: string, field: string): { time: number; zone: number } {
  const [, day, clock, sign, hours = '00', minutes = '00'] = MOMENT.exec(text) ?? [];
  const time = Date.parse(`${day}T${clock}${sign ?? '+'}${hours}:${minutes}`);
  if (day === undefined || Number.isNaN(time) || !isDay(day))
    throw problem(field, 'must be a time in ISO 8601 with its zone, such as 2026-11-16T15:00:00+01:00');
  const zone = Number(hours) * 60 + Number(minutes);
  return { time, zone: sign === '-' && zone > 0 ? -zone : zone };
}

/** The parser of dates takes 30 February for 2 March. */
function isDay(day: string): boolean {
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}
