// Merges payloads into the rows that they add to the database.
import { TimeSlice } from '../../kernel/yield-to-event-loop.ts';
import type { FlagUsageRow } from '../feature-flags/tables.ts';
import { UNKNOWN_FLAG, type EventPayload, type EventSender } from './payload.ts';
import type { RowBudget } from './limits.ts';
import type { FlagContextKindRow, FlagEvaluationRow } from './tables.ts';

const HOUR = 60 * 60 * 1000;

/** What the SDKs of one environment reported in one hour, with the same kind of key. */
export interface UsageGroup {
  environmentId: string;
  projectId: string;
  sender: EventSender;
  hour: number;
  /** By the key of the flag, which need not exist. */
  flags: Map<string, MergedUse>;
}

interface MergedUse {
  requestedAt: number;
  lastDefault: string | null;
  contextKinds: Set<string>;
  /** By variation, version and SDK. */
  counts: Map<string, MergedCount>;
}

type MergedCount = Pick<FlagEvaluationRow, 'variation' | 'version' | 'sdk' | 'count'>;

/** Yields to other calls now and then. */
export async function mergePayloads(payloads: readonly EventPayload[]): Promise<UsageGroup[]> {
  const groups = new Map<string, UsageGroup>();
  const slice = new TimeSlice();
  for (const { environmentId, projectId, sender, sdk, receivedAt, uses } of payloads) {
    const hour = receivedAt - (receivedAt % HOUR);
    const name = `${environmentId} ${sender} ${hour}`;
    let group = groups.get(name);
    if (group === undefined)
      groups.set(name, (group = { environmentId, projectId, sender, hour, flags: new Map() }));
    for (const [key, { lastDefault, contextKinds = [], counts }] of uses) {
      if (slice.isOver) await slice.yieldToEventLoop();
      let flag = group.flags.get(key);
      if (flag === undefined) group.flags.set(key, (flag = emptyUse(receivedAt)));
      flag.requestedAt = Math.max(flag.requestedAt, receivedAt);
      flag.lastDefault = lastDefault ?? flag.lastDefault;
      for (const kind of contextKinds) flag.contextKinds.add(kind);
      for (const { variation, version, count } of counts)
        add(flag.counts, { variation, version, sdk, count });
    }
  }
  return [...groups.values()];
}

function emptyUse(requestedAt: number): MergedUse {
  return { requestedAt, lastDefault: null, contextKinds: new Set(), counts: new Map() };
}

function add(counts: MergedUse['counts'], { variation, version, sdk, count }: MergedCount): void {
  const name = `${variation} ${version} ${sdk}`;
  const known = counts.get(name);
  if (known === undefined) counts.set(name, { variation, version, sdk, count });
  else known.count += count;
}

export interface KnownFlag {
  id: string;
  /** 1 for mobile keys, 2 for client-side IDs, 3 for both. */
  availability: number;
}

/** The flags that exist, by project and key, and the environments. */
export interface KnownFlags {
  environments: ReadonlySet<string>;
  flags: ReadonlyMap<string, ReadonlyMap<string, KnownFlag>>;
}

/** Server-side SDKs see every flag. Others must not report flags that they cannot see, because their keys are public. */
const NEEDED: Record<EventSender, number> = { server: 0, mobile: 1, browser: 2 };

export interface UsageRows {
  evaluations: FlagEvaluationRow[];
  usage: FlagUsageRow[];
  contextKinds: FlagContextKindRow[];
}

/** Keys that are no flags are counted together. Sorted, so that two nodes never deadlock. Yields to other calls now and then. */
export async function toRows(
  groups: readonly UsageGroup[],
  known: KnownFlags,
  budget: RowBudget,
): Promise<UsageRows> {
  const evaluations = new Map<string, FlagEvaluationRow>();
  const usage = new Map<string, FlagUsageRow>();
  const contextKinds = new Map<string, FlagContextKindRow>();
  const slice = new TimeSlice();
  for (const { environmentId, projectId, sender, hour, flags } of groups) {
    if (!known.environments.has(environmentId)) continue;
    const existing = known.flags.get(projectId);
    for (const [key, { requestedAt, lastDefault, contextKinds: kinds, counts }] of flags) {
      if (slice.isOver) await slice.yieldToEventLoop();
      const found = existing?.get(key);
      const flag =
        found !== undefined && (found.availability & NEEDED[sender]) === NEEDED[sender] ? found : undefined;
      for (const { variation, version, sdk, count } of counts.values()) {
        const row = { environment_id: environmentId, hour, variation, version, sdk };
        addRow(evaluations, budget.fit({ ...row, flag_key: flag === undefined ? UNKNOWN_FLAG : key }), count);
      }
      if (flag === undefined) continue;
      const used = { environment_id: environmentId, flag_id: flag.id };
      addUsage(usage, { ...used, last_requested_at: requestedAt, last_default: lastDefault });
      for (const kind of kinds) addContextKind(contextKinds, { ...used, kind, seen_at: requestedAt });
    }
  }
  await slice.yieldToEventLoop();
  const sortedUsage = sorted(usage);
  await slice.yieldToEventLoop();
  const sortedKinds = sorted(contextKinds);
  await slice.yieldToEventLoop();
  return { evaluations: sorted(evaluations), usage: sortedUsage, contextKinds: sortedKinds };
}

function addRow(
  rows: Map<string, FlagEvaluationRow>,
  row: Omit<FlagEvaluationRow, 'count'>,
  count: number,
): void {
  const name = `${row.environment_id} ${row.flag_key} ${row.hour} ${row.variation} ${row.version} ${row.sdk}`;
  const known = rows.get(name);
  if (known === undefined) rows.set(name, { ...row, count });
  else known.count += count;
}

function addUsage(rows: Map<string, FlagUsageRow>, row: FlagUsageRow): void {
  const name = `${row.environment_id} ${row.flag_id}`;
  const known = rows.get(name);
  const isLater = known === undefined || known.last_requested_at <= row.last_requested_at;
  const [later, earlier] = isLater ? [row, known] : [known, row];
  rows.set(name, { ...later, last_default: later.last_default ?? earlier?.last_default ?? null });
}

function addContextKind(rows: Map<string, FlagContextKindRow>, row: FlagContextKindRow): void {
  const name = `${row.environment_id} ${row.flag_id} ${row.kind}`;
  const known = rows.get(name);
  if (known === undefined || known.seen_at < row.seen_at) rows.set(name, row);
}

function sorted<Row>(rows: ReadonlyMap<string, Row>): Row[] {
  return [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}
