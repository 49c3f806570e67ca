// Writes down what happened to a flag in one environment, or to what is pending for it there.
import type { Actor } from '../../kernel/events.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { recordChange, type Change } from '../change.ts';
import type { Place } from './place.ts';

/** `action` is the permission it took. */
export async function recordAt(
  tx: Db,
  actor: Actor,
  { resource, flag }: Place,
  action: string,
  told: Omit<Change, 'accesses' | 'kind' | 'name'>,
): Promise<void> {
  await recordChange(tx, actor, {
    accesses: [{ action, resource }],
    kind: 'flag',
    name: flag.name,
    ...told,
  });
}
