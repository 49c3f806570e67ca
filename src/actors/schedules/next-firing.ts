// When a schedule fires next, with the rules for hours that are skipped or doubled when clocks are changed.
import { nextWallTime, parseCron } from './cron.ts';
import { momentsOf, wallTimeAt } from './time-zone.ts';

const SECOND_MS = 1000;

/**
 * The first moment after `after`. A schedule that names hours fires once for a time that clocks skip, right after it, and
 * once for a time that they show twice, at the first. One for every hour fires in every hour that passes: nothing is
 * skipped there, and a doubled hour is two hours.
 */
export function nextFiring(expression: string, zone: string, after: number): number | undefined {
  const pattern = parseCron(expression);
  const start = Math.floor(after / SECOND_MS) * SECOND_MS;
  const wall = wallTimeAt(zone, start);
  const now = momentsOf(zone, wall);
  const isSecondPass = now.moments.length === 2 && start >= now.changeAt!;
  if (!pattern.isEveryHour) {
    // Times of the second pass have fired in the first.
    const from = isSecondPass ? lastWallBefore(zone, now.changeAt!) : wall;
    const next = nextWallTime(pattern, from);
    return next === undefined ? undefined : onceAt(zone, next);
  }
  const next = nextWallTime(pattern, wall);
  if (next === undefined) return undefined;
  const found = momentsOf(zone, next);
  if (isSecondPass) return found.moments.at(-1)!;
  if (now.moments.length === 2 && found.moments.length === 1) {
    // The rest of the first pass has no more; the second pass may have some.
    const begin = wallTimeAt(zone, now.changeAt!) - SECOND_MS;
    return momentsOf(zone, nextWallTime(pattern, begin)!).moments.at(-1)!;
  }
  if (found.moments.length > 0) return found.moments[0];
  const afterGap = nextWallTime(pattern, wallTimeAt(zone, found.changeAt!) - SECOND_MS);
  return afterGap === undefined ? undefined : momentsOf(zone, afterGap).moments[0];
}

function onceAt(zone: string, wall: number): number {
  const { moments, changeAt } = momentsOf(zone, wall);
  return moments[0] ?? changeAt!;
}

/** What the clocks show in the last second before they are set. */
function lastWallBefore(zone: string, changeAt: number): number {
  return wallTimeAt(zone, changeAt - SECOND_MS);
}
