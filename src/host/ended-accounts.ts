// Deletes what belongs to one account alone, when a service token is deleted or a member is removed.
import type { AuditEntry } from '../kernel/change/change.ts';
import type { Module } from '../kernel/http/module.ts';
import { executeAll } from '../kernel/storage/execute-all.ts';
import type { SqlStatement } from '../kernel/storage/statement.ts';
import type { Db } from '../kernel/storage/tables.ts';

/** The statements are part of the transaction in which the account ends; the channel is notified afterwards. */
export function endWithAccount(
  channel: string,
  statementsOf: (db: Db, accountId: string) => SqlStatement[],
): Required<Pick<Module, 'transferOwnership' | 'subscribers'>> {
  return {
    async transferOwnership(tx, { id }) {
      await executeAll(tx.db, statementsOf(tx.db, id));
      await tx.invalidate(channel);
    },
    subscribers: () => [
      {
        channel,
        statementsFor: (db, entries) =>
          entries.flatMap((entry) => {
            const id = removedMemberIn(entry);
            return id === undefined ? [] : statementsOf(db, id);
          }),
      },
    ],
  };
}

/** Members are removed by another API, whose audit entry tells of it. */
export function removedMemberIn({ accesses, kind, before }: AuditEntry): string | undefined {
  if (kind !== 'member' || !accesses.some(({ action }) => action === 'deleteMember')) return undefined;
  return (before as { _id?: string } | undefined)?._id;
}
