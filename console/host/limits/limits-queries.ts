// What the page of rate limits reads: windows as they stand and were, and what the calls of tokens went to.
import { path, type Call } from '../../api/call.ts';
import { useRead } from '../../api/read.ts';
import type { LimitPeaks, RefusedCall, SpendingRoute } from '../../api/types/signalbox.ts';

export interface LimitState {
  budget: 'tokens' | 'browser' | 'program';
  api: string;
  category: string;
  scope?: string;
  limit: number;
  used: number;
  remaining: number;
  seconds: number;
  resetAt: number;
}

const EVERY_MS = 10_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

export function useLimits() {
  const call: Call = { api: 'signalbox', path: '/me/limits', isPolled: true };
  return useRead<{ isEnabled: boolean; items: LimitState[] }>({ call }, { everyMs: EVERY_MS });
}

export interface SpendingToken {
  id: string;
  name: string;
  ending: string;
  lastUse?: { at: number };
}

export const MOST_TOKENS = 100;

export function useSpenders(isAll: boolean) {
  const call: Call = {
    api: 'signalbox',
    path: '/tokens',
    query: { all: isAll || undefined, limit: MOST_TOKENS },
  };
  return useRead<{ items: SpendingToken[]; next?: string }>(
    { call, topics: ['token', 'service-token', 'token-used'] },
    { keepsPrevious: true },
  );
}

export interface UsedHour {
  at: number;
  api: string;
  category: string;
  calls: number;
  refused: number;
}

/** `now` on a full hour, so that the address of the call stays the same. */
export function useTokenDay(id: string, hour: number) {
  const call: Call = {
    api: 'signalbox',
    path: path`/tokens/${id}/usage`,
    query: { since: hour - DAY_MS + HOUR_MS },
    isPolled: true,
  };
  return useRead<{ hours: UsedHour[] }>({ call }, { everyMs: 3 * EVERY_MS }).data?.hours;
}

export type Forecast = { kind: 'empty' | 'lasts' | 'soon' } | { kind: 'spent'; at: number };

/** A twentieth of the window says too little. */
const LEAST_PART = 0.05;

/** As if the calls went on as they did since the window began. */
export function forecastOf({ used, remaining, seconds, resetAt }: LimitState, now: number): Forecast {
  if (remaining <= 0) return { kind: 'empty' };
  const whole = seconds * 1000;
  const elapsed = whole - (resetAt - now);
  if (used === 0) return { kind: 'lasts' };
  if (elapsed < whole * LEAST_PART) return { kind: 'soon' };
  const at = now + (remaining * elapsed) / used;
  return at < resetAt ? { kind: 'spent', at } : { kind: 'lasts' };
}

const MOST_ROUTES = 20;

function spendingCall(what: 'routes' | 'refusals' | 'peaks', isAll: boolean, limit?: number): Call {
  return {
    api: 'signalbox',
    path: `/limits/${what}`,
    query: { all: isAll || undefined, limit },
    isPolled: true,
  };
}

const SLOWLY = { everyMs: 3 * EVERY_MS, keepsPrevious: true };

export function useSpendingRoutes(isAll: boolean) {
  return useRead<{ items: SpendingRoute[] }>({ call: spendingCall('routes', isAll, MOST_ROUTES) }, SLOWLY);
}

export function useRefusedCalls(isAll: boolean) {
  return useRead<{ items: RefusedCall[] }>({ call: spendingCall('refusals', isAll, MOST_TOKENS) }, SLOWLY);
}

export function useLimitPeaks(isAll: boolean) {
  return useRead<{ items: LimitPeaks[] }>({ call: spendingCall('peaks', isAll) }, SLOWLY);
}

export interface WhatIf {
  /** Hours with a window that would have been too full. */
  hours: number;
  refused: number;
  /** Hours have more windows than the fullest. */
  isLeast: boolean;
  fullest: number;
}

/** What another limit would have done, had the calls been the same. */
export function whatIf({ hours, seconds }: Pick<LimitPeaks, 'hours' | 'seconds'>, limit: number): WhatIf {
  const over = hours.filter(({ most }) => most > limit);
  return {
    hours: over.length,
    refused: over.reduce((sum, { most }) => sum + most - limit, 0),
    isLeast: seconds * 1000 < HOUR_MS,
    fullest: Math.max(0, ...hours.map(({ most }) => most)),
  };
}
