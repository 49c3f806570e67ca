// Records a change to a flag in one environment, or to a planned change or trigger there, in the audit log.
import type { Change } from '../../kernel/change/change.ts';
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import type { FlagInEnvironment } from './flag-in-environment.ts';

export function recordFlagChange(
  tx: ChangeTransaction,
  { resource, flag }: FlagInEnvironment,
  action: string,
  change: Omit<Change, 'accesses' | 'kind' | 'name'>,
): void {
  tx.record({ accesses: [{ action, resource }], kind: 'flag', name: flag.name, ...change });
}
