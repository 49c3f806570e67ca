// What programs that name themselves have read of flags: from events of SDKs, and from evaluations on this server. ADR 0184.
import type { IncomingHttpHeaders } from 'node:http';
import { isObject } from '../kernel/json/json-value.ts';
import { isSlowToWrite } from '../kernel/json/stringify.ts';
import { couldBeKey } from './fields.ts';

/** One value of a flag, in one environment. */
export interface FlagRead {
  flagKey: string;
  /** Null where the default value in the code applied. */
  variation: number | null;
  /** Of the flag, as SDKs know it; null where they did not know the flag. */
  version: number | null;
  /** As JSON; absent where it is unknown or long. */
  value?: string | undefined;
  /** Why, as SDKs say it, as JSON; absent where nobody said it. */
  reason?: string | undefined;
  /** How often; 0 for what only adds a reason. */
  count: number;
}

/** Who wants to know. Another API, which this one does not import. */
export interface FlagReaders {
  /** By the form alone, of which no program but those may name itself. */
  isReader(name: string): boolean;
  note(name: string, environmentId: string, reads: readonly FlagRead[], now: number): void;
}

declare module '../kernel/kernel.ts' {
  interface Services {
    flagReaders: FlagReaders;
  }
}

const TAGS_HEADER = 'x-launchdarkly-tags';
const APPLICATION = /(?:^|\s)application-id\/([\w.-]{1,64})(?=\s|$)/;

/** The id of the application, which SDKs send with every request where their `application` has one. */
export function readerNameOf(
  headers: IncomingHttpHeaders | Record<string, string | string[] | undefined>,
): string | undefined {
  const tags = headers[TAGS_HEADER];
  return typeof tags === 'string' ? APPLICATION.exec(tags)?.[1] : undefined;
}

const MAX_JSON = 500;
/** Of one payload. */
const MAX_READS = 1000;
const MAX_NUMBER = 2 ** 31;

/** A short JSON text of the value. */
export function shortJson(value: unknown): string | undefined {
  if (value === undefined || isSlowToWrite(value)) return undefined;
  const json = JSON.stringify(value);
  return json.length <= MAX_JSON ? json : undefined;
}

/** Of the events of a payload. Summaries count, and single evaluations say why. */
export function readsIn(events: readonly unknown[]): FlagRead[] {
  const reads: FlagRead[] = [];
  for (const event of events) {
    if (reads.length >= MAX_READS) break;
    if (!isObject(event)) continue;
    const { kind, features } = event;
    if (kind === 'summary' && isObject(features)) addSummary(reads, features);
    else if (kind === 'feature' || kind === 'debug') addReason(reads, event);
  }
  return reads;
}

function addSummary(reads: FlagRead[], features: Record<string, unknown>): void {
  for (const flagKey of Object.keys(features)) {
    const feature = features[flagKey];
    const { counters } = isObject(feature) ? feature : {};
    if (!couldBeKey(flagKey) || !Array.isArray(counters)) continue;
    for (const counter of counters as unknown[]) {
      if (reads.length >= MAX_READS) return;
      if (!isObject(counter) || !isNatural(counter['count']) || counter['count'] === 0) continue;
      reads.push({ flagKey, ...servedBy(counter), count: counter['count'] });
    }
  }
}

function addReason(reads: FlagRead[], event: Record<string, unknown>): void {
  const { key, reason } = event;
  if (typeof key !== 'string' || !couldBeKey(key) || !isObject(reason)) return;
  reads.push({ flagKey: key, ...servedBy(event), reason: shortJson(reason), count: 0 });
}

function servedBy({ variation, version, value }: Record<string, unknown>) {
  return {
    variation: isNatural(variation) ? variation : null,
    version: isNatural(version) ? version : null,
    value: shortJson(value),
  };
}

function isNatural(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) < MAX_NUMBER;
}
