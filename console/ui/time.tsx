// A time: relative up to seven days, then absolute. The exact time with its zone and in UTC appears when it is
// pointed at or focused; pressing it copies it as ISO 8601.
import { createContext, useContext, useSyncExternalStore } from 'react';
import { useCopy } from './copy-button.tsx';
import { formatAbsolute, formatExact, formatRelative } from './format.ts';
import { useTip } from './tip.tsx';
import { words } from './words.ts';

/** The zone that times are written in; undefined is the browser's own. */
export const TimeZoneContext = createContext<string | undefined>(undefined);

export interface TimeProps {
  /** Milliseconds since 1970, an ISO 8601 text, or a date. */
  at: number | string | Date;
  mode?: 'relative' | 'absolute' | undefined;
}

export function Time({ at, mode = 'relative' }: TimeProps) {
  const time = at instanceof Date ? at.getTime() : new Date(at).getTime();
  // What another server wrote may be no time; it is shown as it came.
  return Number.isNaN(time) ? <span>{String(at)}</span> : <ValidTime time={time} mode={mode} />;
}

function ValidTime({ time, mode }: { time: number; mode: 'relative' | 'absolute' }) {
  const timeZone = useContext(TimeZoneContext);
  const text = useSyncExternalStore(onTick, () => {
    const now = Date.now();
    const relative = mode === 'relative' ? formatRelative(time, now) : undefined;
    return relative ?? formatAbsolute(time, now, timeZone);
  });
  const iso = new Date(time).toISOString();
  const { isDone, copy } = useCopy(iso);
  const tip = useTip(isDone ? words.copied : formatExact(time, timeZone), { isLazy: true });
  return (
    <>
      <button type="button" className="time" {...tip.anchorProps} onClick={copy}>
        <time dateTime={iso}>{text}</time>
      </button>
      {tip.element}
    </>
  );
}

// One clock for all times of a page. A time is drawn again only when its text became another.
const tickInterval = 5000;
const onTicks = new Set<() => void>();
let clock: ReturnType<typeof setInterval> | undefined;

function onTick(listener: () => void): () => void {
  onTicks.add(listener);
  clock ??= setInterval(() => {
    for (const tick of onTicks) tick();
  }, tickInterval);
  return () => {
    onTicks.delete(listener);
    if (onTicks.size > 0) return;
    clearInterval(clock);
    clock = undefined;
  };
}
