// The state of the server, read anew while somebody looks at it.
import { useEffect } from 'react';
import type { Call } from '../../api/call.ts';
import { useRead } from '../../api/read.ts';
import type { Backups, SettingInForce, System } from '../../api/types/signalbox.ts';

export type SystemNode = System['nodes'][number];
export type DueWork = System['dueWork'][number];

export const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

const REFRESH_MS = 10_000;
const BUSY_REFRESH_MS = 2_000;

export function useSystem() {
  const system = useRead<System>({ call: { api: 'signalbox', path: '/system' } });
  useRefresh(system, REFRESH_MS);
  return system;
}

/** What is being made is looked at more often. */
export function useBackups() {
  const backups = useRead<Backups>({ call: { api: 'signalbox', path: '/backups' } });
  const isBusy = backups.data?.runs.some(({ state }) => state === 'waiting' || state === 'running');
  useRefresh(backups, isBusy === true ? BUSY_REFRESH_MS : REFRESH_MS);
  return backups;
}

function useRefresh(
  { refetch, error }: Pick<ReturnType<typeof useRead>, 'refetch' | 'error'>,
  everyMs: number,
): void {
  const isRefused = error?.access !== undefined;
  useEffect(() => {
    if (isRefused) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void refetch();
    }, everyMs);
    return () => clearInterval(timer);
  }, [refetch, isRefused, everyMs]);
}

export function createBackupCall(): Call {
  return { api: 'signalbox', method: 'POST', path: '/backups' };
}

export function verifyBackupCall(id: string): Call {
  return { api: 'signalbox', method: 'POST', path: `/backups/${encodeURIComponent(id)}/verify` };
}

export function downloadBackupCall(id: string): Call {
  return { api: 'signalbox', path: `/backups/${encodeURIComponent(id)}/download` };
}

export function resumeCall(): Call {
  return { api: 'signalbox', method: 'POST', path: '/system/resume' };
}

export function useSettings() {
  return useRead<{ items: SettingInForce[] }>({ call: { api: 'signalbox', path: '/settings' } });
}

export function logLevelCall(level: string): Call {
  return { api: 'signalbox', method: 'PUT', path: '/system/log-level', body: { level } };
}
