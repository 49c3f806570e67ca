// Validates the events of a payload, and adds up which flags were evaluated how often.
import { isSlowToWrite } from '../../kernel/json/stringify.ts';
import { isObject } from '../../kernel/json/json-value.ts';
import { TimeSlice } from '../../kernel/yield-to-event-loop.ts';
import { couldBeContextKind, couldBeKey } from '../fields.ts';
import { USER } from '../evaluation/context.ts';
import {
  MAX_CONTEXT_KINDS,
  NO_VARIATION,
  NO_VERSION,
  UNKNOWN_FLAG,
  type EvaluationCount,
  type FlagUse,
  type FlagUses,
} from './payload.ts';

/** SDKs buffer at most 10,000 unless they are configured otherwise. */
const MAX_EVENTS = 50_000;
/** In one summary, and different ones in one payload. */
const MAX_FLAGS = 10_000;
/** Of one flag in one summary. */
const MAX_COUNTERS = 1000;
/** Of one flag in one payload: counters beyond lose their version, and twice as many beyond their variation, too. */
const MAX_COUNTS = 100;
/** Of all flags in one payload: counters beyond lose both. */
const MAX_ALL_COUNTS = 10_000;
const MAX_ATTRIBUTES = 1000;
const MAX_KINDS = 100;
const MAX_TEXT = 8192;
/** The JSON of a default value. A longer one is not stored. */
const MAX_DEFAULT = 4096;
/** Higher variations, versions and counts are made up. */
const MAX_VARIATION = 1000;
const MAX_VERSION = 2 ** 31;
const MAX_COUNT = 1e9;

export type DropReason =
  | 'unknown-kind' // of a newer SDK
  | 'malformed'
  | 'too-large' // a context with too many attributes, too many flags in a summary, too long a text
  | 'too-many'; // beyond as many events as one payload may have

export interface ReadEvents {
  uses: FlagUses;
  /** How many were accepted of each kind. */
  kinds: Map<string, number>;
  dropped: Map<DropReason, number>;
  /** How much counts against the limit: one for an event, and for a summary one for each flag. */
  cost: number;
  /** In all `uses`. */
  counts: number;
}

type Fields = Record<string, unknown>;
/** Returns why an event is dropped, or undefined. */
type Check = (event: Fields) => DropReason | undefined;

const isTime = (value: unknown) => typeof value === 'number' && value >= 0;
const isText = (value: unknown): value is string => typeof value === 'string';

const checkText = (value: unknown): DropReason | undefined =>
  !isText(value) ? 'malformed' : value.length > MAX_TEXT ? 'too-large' : undefined;

/** Older SDKs send `user` instead of `context`. */
const checkContext = ({ context, user }: Fields): DropReason | undefined => {
  const shown = context ?? user;
  if (shown === undefined) return undefined;
  if (!isObject(shown)) return 'malformed';
  if (shown['kind'] !== 'multi') return checkAttributes(shown);
  const parts = Object.values(shown);
  if (parts.length > MAX_KINDS) return 'too-large';
  for (const part of parts) {
    const reason = isObject(part) ? checkAttributes(part) : undefined;
    if (reason !== undefined) return reason;
  }
  return undefined;
};

const checkAttributes = (context: Fields): DropReason | undefined => {
  if (Object.keys(context).length > MAX_ATTRIBUTES) return 'too-large';
  const { key } = context;
  return isText(key) && key.length > MAX_TEXT ? 'too-large' : undefined;
};

const named: Check = (event) =>
  isTime(event['creationDate']) ? (checkText(event['key']) ?? checkContext(event)) : 'malformed';

const KINDS: Record<string, Check> = {
  index: (event) =>
    isTime(event['creationDate']) && isObject(event['context'] ?? event['user'])
      ? checkContext(event)
      : 'malformed',
  identify: (event) => (isTime(event['creationDate']) ? checkContext(event) : 'malformed'),
  feature: named,
  debug: named,
  custom: named,
  click: (event) => named(event) ?? checkText(event['url']),
  pageview: (event) => named(event) ?? checkText(event['url']),
  migration_op: (event) =>
    isTime(event['creationDate']) ? (checkText(event['operation']) ?? checkContext(event)) : 'malformed',
  summary: (event) => {
    const { startDate, endDate, features } = event;
    if (!isTime(startDate) || !isTime(endDate) || !isObject(features)) return 'malformed';
    return Object.keys(features).length > MAX_FLAGS ? 'too-large' : checkContext(event);
  },
};

/** Yields to other calls now and then. Events that are not valid are dropped, and the others taken. */
export async function readEvents(events: readonly unknown[]): Promise<ReadEvents> {
  const read: ReadEvents = { uses: new Map(), kinds: new Map(), dropped: new Map(), cost: 0, counts: 0 };
  const slice = new TimeSlice();
  for (const event of events.slice(0, MAX_EVENTS)) {
    if (slice.isOver) await slice.yieldToEventLoop();
    read.cost += 1;
    const kind = isObject(event) ? event['kind'] : undefined;
    const check = isText(kind) && Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
    const reason = check === undefined ? reasonWithoutCheck(kind) : check(event as Fields);
    if (reason !== undefined) {
      drop(read, reason);
      continue;
    }
    read.kinds.set(kind as string, (read.kinds.get(kind as string) ?? 0) + 1);
    if (kind === 'summary') await addSummary(read, (event as Fields)['features'] as Fields, slice);
    else if (kind === 'feature' || kind === 'debug') addRequest(read, event as Fields);
  }
  if (events.length > MAX_EVENTS) drop(read, 'too-many', events.length - MAX_EVENTS);
  return read;
}

function reasonWithoutCheck(kind: unknown): DropReason {
  return isText(kind) ? 'unknown-kind' : 'malformed';
}

function drop({ dropped }: ReadEvents, reason: DropReason, count = 1): void {
  dropped.set(reason, (dropped.get(reason) ?? 0) + count);
}

/** The flag was evaluated; a summary counts how often. */
function addRequest(read: ReadEvents, event: Fields): void {
  const use = openUse(read, event['key'] as string);
  if (use === undefined) return;
  setDefault(use, event['default']);
  addContextKinds(use, kindsIn(event));
}

/** Of an event with its context, or with the keys of it by kind. */
function kindsIn({ context, contextKeys, user }: Fields): unknown[] {
  if (isObject(contextKeys)) return Object.keys(contextKeys);
  if (isObject(context)) {
    const { kind = USER, ...parts } = context;
    return kind === 'multi' ? Object.keys(parts) : [kind];
  }
  return user === undefined ? [] : [USER];
}

/** Those that cannot be are left out. */
function addContextKinds(use: FlagUse, kinds: readonly unknown[]): void {
  for (const kind of kinds) {
    if (use.contextKinds?.size === MAX_CONTEXT_KINDS) return;
    if (isText(kind) && couldBeContextKind(kind)) (use.contextKinds ??= new Set()).add(kind);
  }
}

async function addSummary(read: ReadEvents, features: Fields, slice: TimeSlice): Promise<void> {
  const keys = Object.keys(features);
  read.cost += Math.max(0, keys.length - 1);
  for (const key of keys) {
    if (slice.isOver) await slice.yieldToEventLoop();
    const feature = features[key];
    const counters = isObject(feature) ? feature['counters'] : undefined;
    if (!Array.isArray(counters)) drop(read, 'malformed');
    else if (counters.length > MAX_COUNTERS) drop(read, 'too-large');
    else addFeature(read, key, feature as Fields, counters);
  }
}

function addFeature(read: ReadEvents, key: string, feature: Fields, counters: readonly unknown[]): void {
  const counts = counters.map(readCounter).filter((count) => count !== undefined);
  if (counts.length < counters.length) drop(read, 'malformed', counters.length - counts.length);
  const use = counts.length === 0 ? undefined : openUse(read, key);
  if (use === undefined) return;
  for (const count of counts) addCount(read, use.counts, count);
  setDefault(use, feature['default']);
  const { contextKinds } = feature;
  if (Array.isArray(contextKinds)) addContextKinds(use, contextKinds);
}

function readCounter(counter: unknown): EvaluationCount | undefined {
  if (!isObject(counter)) return undefined;
  const { variation, version, count, unknown } = counter;
  if (!isIntegerBelow(count, MAX_COUNT) || count === 0) return undefined;
  const isKnown = unknown !== true;
  return {
    variation: isKnown && isIntegerBelow(variation, MAX_VARIATION) ? variation : NO_VARIATION,
    version: isKnown && isIntegerBelow(version, MAX_VERSION) ? version : NO_VERSION,
    count,
  };
}

function isIntegerBelow(value: unknown, limit: number): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) < limit;
}

function addCount(
  read: ReadEvents,
  counts: EvaluationCount[],
  { variation, version, count }: EvaluationCount,
): void {
  // Few in number: a flag seldom has more than two variations and one version at a time.
  const known = counts.find((one) => one.variation === variation && one.version === version);
  if (known !== undefined) {
    known.count += count;
  } else if (hasRoom(read, counts, { variation, version })) {
    counts.push({ variation, version, count });
    read.counts += 1;
  } else {
    const less =
      version === NO_VERSION ? { variation: NO_VARIATION, version } : { variation, version: NO_VERSION };
    addCount(read, counts, { ...less, count });
  }
}

/** There is always room for the one without details. */
function hasRoom(
  read: ReadEvents,
  { length }: EvaluationCount[],
  { variation, version }: Omit<EvaluationCount, 'count'>,
): boolean {
  if (variation === NO_VARIATION && version === NO_VERSION) return true;
  return length < (version === NO_VERSION ? 2 * MAX_COUNTS : MAX_COUNTS) && read.counts < MAX_ALL_COUNTS;
}

/** Keys that no flag can have are counted together. Undefined, and counted as dropped, beyond the limit of a payload. */
function openUse(read: ReadEvents, key: string): FlagUse | undefined {
  const { uses } = read;
  const name = couldBeKey(key) ? key : UNKNOWN_FLAG;
  let use = uses.get(name);
  if (use === undefined && uses.size === MAX_FLAGS) drop(read, 'too-large');
  else if (use === undefined) uses.set(name, (use = { counts: [] }));
  return use;
}

function setDefault(use: FlagUse, value: unknown): void {
  if (value === undefined || isSlowToWrite(value)) return;
  const json = JSON.stringify(value);
  if (json.length <= MAX_DEFAULT) use.lastDefault = json;
}
