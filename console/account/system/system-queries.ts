// The state of the server, read anew while somebody looks at it.
import { useEffect } from 'react';
import type { Call } from '../../api/call.ts';
import { useRead } from '../../api/read.ts';

/** As `GET /signalbox/v1/system` answers; a figure that is absent is not known there. */
export interface System {
  release: string;
  node: { version: string; platform: string; arch: string };
  startedAt: number;
  uptimeSeconds: number;
  memory: { rss: number; heapUsed: number; limit?: number };
  eventLoop?: { p99Ms: number };
  database: { engine: 'sqlite' | 'postgres'; version: string; bytes: number };
  disk?: { freeBytes: number; totalBytes: number };
  objects?: { kind: 'folder' | 's3' };
  nodes: SystemNode[];
  dueWork: DueWork[];
  isDueWorkComplete?: boolean;
  webhooks: { pending: number; retrying: number; failing: number };
  streams: { flags: number; changes: number };
  limits?: { isEnabled: boolean };
  logLevel: string;
  checks: SystemCheck[];
}

export interface SystemNode {
  id: string;
  roles: ('api' | 'worker')[];
  seenAt: number;
  isSelf: boolean;
}

export interface DueWork {
  kind: string;
  waiting: number;
  running?: number;
  late: number;
  oldestAt?: number;
  failed: number;
  lastError?: string;
}

export interface SystemCheck {
  name: string;
  state: 'ok' | 'warn' | 'bad';
  text: string;
  advice?: string;
  command?: string;
}

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
