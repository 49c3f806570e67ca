// The recurring task that deletes the members of deleted big segments.
import type { RecurringWork } from '../../kernel/http/protocol.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { deleteOrphanedMembers } from './store-members.ts';

const HOUR = 60 * 60 * 1000;

export function orphanedMemberSweep({ db }: Pick<Kernel, 'db'>): RecurringWork {
  return {
    kind: 'flags.segment-members.sweep',
    everyMs: HOUR,
    run: (signal) => deleteOrphanedMembers(db, signal),
  };
}
