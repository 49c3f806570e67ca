// The time, to the minute: what has expired since the page was opened shows so.
import { useSyncExternalStore } from 'react';

const MINUTE_MS = 60_000;
const TICK_MS = 10_000;

/** In epoch milliseconds, rounded down. */
export function useMinute(): number {
  return useSyncExternalStore(onTick, () => Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS);
}

/** For what is sent: exact, and never while something is drawn. */
export function currentTime(): number {
  return Date.now();
}

function onTick(listener: () => void): () => void {
  const timer = setInterval(listener, TICK_MS);
  return () => clearInterval(timer);
}

/** To the second, for countdowns. */
export function useSecond(): number {
  return useSyncExternalStore(onSecond, () => Math.floor(Date.now() / 1000) * 1000);
}

function onSecond(listener: () => void): () => void {
  const timer = setInterval(listener, 1000);
  return () => clearInterval(timer);
}
