// What became of the caller's runs of an Actor in thirty days: a bar for each day, the rate of success, and what is usual for a good run.
import { useState } from 'react';
import { classNames } from '../../ui/class-names.ts';
import { formatCount, formatDuration } from '../../ui/format.ts';
import { useActorFigures } from './actor-queries.ts';
import { ACTOR_WORDS } from './actor-words.ts';

const DAY = 86_400_000;
const DAYS = 30;

export function ActorFiguresView({ actorId }: { actorId: string }) {
  const [openedAt] = useState(() => Date.now());
  const found = useActorFigures(actorId);
  if (found === undefined || found.runs === 0) return null;
  const { runs, succeeded, medianDurationMs, medianItems } = found;
  const byDay = new Map(found.days.map((one) => [one.day, one]));
  const today = Math.floor(openedAt / DAY) * DAY;
  const days = Array.from({ length: DAYS }, (_, index) => today - (DAYS - 1 - index) * DAY);
  const usual = [
    medianDurationMs === null ? undefined : formatDuration(medianDurationMs),
    medianItems === null ? undefined : ACTOR_WORDS.medianItems(formatCount(medianItems)),
  ].filter((part) => part !== undefined);
  return (
    <span className="actor-figures">
      <span
        className="run-strip"
        role="img"
        aria-label={ACTOR_WORDS.days(formatCount(succeeded), formatCount(runs))}
      >
        {days.map((day) => {
          const { succeeded: good = 0, other = 0 } = byDay.get(day) ?? {};
          const tone = good + other === 0 ? 'none' : other === 0 ? 'ok' : good === 0 ? 'bad' : 'warn';
          return (
            <i
              key={day}
              className={classNames(`run-strip--${tone}`)}
              title={ACTOR_WORDS.dayOf(
                new Date(day).toISOString().slice(0, 10),
                formatCount(good),
                formatCount(other),
              )}
            />
          );
        })}
      </span>
      <span className="muted t12">
        {ACTOR_WORDS.successRate(formatCount(Math.round((100 * succeeded) / runs)))}
        {usual.length > 0 && ` · ${ACTOR_WORDS.usually} ${usual.join(', ')}`}
      </span>
    </span>
  );
}
