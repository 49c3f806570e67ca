// What is there of the examples, and what people have changed of it since they were made.
import { searchEntries } from '../../flags/audit-log/store.ts';
import type { AuditEntry } from '../../kernel/change/change.ts';
import type { DemoPart } from '../../kernel/http/protocol.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { findProduct } from '../activity/model.ts';
import type { Demo } from './model.ts';
import type { DemoRecord } from './store.ts';

/** As many are read of each part: the newest, and who made them. */
const MAX_CHANGES = 50;

export async function describeDemo(
  engine: Engine,
  record: DemoRecord | undefined,
  found: readonly DemoPart[],
  problem: string | undefined,
): Promise<Demo> {
  const { state = 'removed', madeAt, loadedAt } = record ?? {};
  const parts: Demo['parts'] = [];
  for (const part of found) {
    const { resource, kind, name } = part;
    const since = part.isFinishedLast === true ? loadedAt : madeAt;
    const entries = since === undefined ? [] : await listChanges(engine, resource, since);
    const changedAt = Math.max(entries[0]?.at ?? 0, dataChangeOf(part, loadedAt));
    parts.push({
      resource,
      product: findProduct(resource) ?? 'account',
      kind,
      name,
      ...(changedAt > 0 && { changedAt }),
      changedBy: [...new Set(entries.map(nameOf))],
    });
  }
  return {
    state: state === 'removed' ? 'absent' : state,
    ...(madeAt !== undefined && { since: madeAt }),
    isComplete: loadedAt !== undefined,
    ...(problem !== undefined && { problem }),
    parts,
  };
}

function dataChangeOf({ dataChangedAt = 0 }: DemoPart, loadedAt = Infinity): number {
  return dataChangedAt > loadedAt ? dataChangedAt : 0;
}

/** Those of people: what follows from other changes has no member. */
async function listChanges(engine: Engine, resource: string, after: number): Promise<AuditEntry[]> {
  const { entries } = await searchEntries(
    engine,
    { resource: `${resource}*`, after },
    ({ resource: changed, who: { member } }) =>
      (changed === resource || changed.startsWith(`${resource}:`)) && member !== undefined,
    MAX_CHANGES,
  );
  return entries;
}

function nameOf({ who: { member } }: AuditEntry): string {
  const fullName = [member?.firstName, member?.lastName].filter(Boolean).join(' ');
  return fullName === '' ? member!.email : fullName;
}
