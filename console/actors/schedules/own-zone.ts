// The time zone of the reader, and times in a zone.
import { useContext } from 'react';
import { TimeZoneContext } from '../../ui/time.tsx';

/** The one that they chose, else that of the browser. */
export function useOwnZone(): string {
  return useContext(TimeZoneContext) ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** `Mon 2 Mar, 14:02`, and the seconds where there are any. */
export function formatIn(zone: string, at: number): string {
  const hasSeconds = at % 60_000 !== 0;
  return new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    ...(hasSeconds && { second: '2-digit' }),
  }).format(at);
}

export function clockIn(zone: string, at: number): string {
  return new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' }).format(at);
}
