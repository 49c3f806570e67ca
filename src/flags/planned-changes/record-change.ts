// Writes down what happened to a flag in one environment, or to what is pending for it there.
import type { Change } from '../../kernel/change/change.ts';
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import type { Place } from './flag-in-environment.ts';

/** `action` is the permission it took. */
export function recordAt(
  on: ChangeTransaction,
  { resource, flag }: Place,
  action: string,
  told: Omit<Change, 'accesses' | 'kind' | 'name'>,
): void {
  on.record({ accesses: [{ action, resource }], kind: 'flag', name: flag.name, ...told });
}
