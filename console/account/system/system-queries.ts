// The state of the server, read anew while somebody looks at it.
import { useEffect } from 'react';
import type { Call } from '../../api/call.ts';
import { useRead } from '../../api/read.ts';
import type { System } from '../../api/types/signalbox.ts';

export type SystemNode = System['nodes'][number];
export type DueWork = System['dueWork'][number];

export const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

const REFRESH_MS = 10_000;

export function useSystem() {
  const system = useRead<System>({ call: { api: 'signalbox', path: '/system' } });
  const { refetch, error } = system;
  const isRefused = error?.access !== undefined;
  useEffect(() => {
    if (isRefused) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void refetch();
    }, REFRESH_MS);
    return () => clearInterval(timer);
  }, [refetch, isRefused]);
  return system;
}

export function logLevelCall(level: string): Call {
  return { api: 'signalbox', method: 'PUT', path: '/system/log-level', body: { level } };
}
