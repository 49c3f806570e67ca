// Deletes a project or an environment, unless it is the last one.
import type { Access } from '../../kernel/identity/actor.ts';
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { Failure } from '../../kernel/failure.ts';

const REFUSALS = {
  project: 'The last project cannot be deleted',
  environment: 'The last environment of a project cannot be deleted',
};

export interface Deletion {
  kind: keyof typeof REFUSALS;
  access: Access;
  name: string;
  /** As the API shows it, without secrets. */
  before: unknown;
  /** Further checks; throws. */
  check(): Promise<void>;
  isLast(): Promise<boolean>;
  remove(): Promise<void>;
}

/** The transaction must hold a lock that excludes concurrent deletions. */
export async function deleteUnlessLast(
  tx: ChangeTransaction,
  { kind, access, name, before, check, isLast, remove }: Deletion,
): Promise<void> {
  tx.actor.requirePermission(access.resource, access.action);
  await check();
  if (await isLast()) throw new Failure('conflict', REFUSALS[kind], { code: `last_${kind}` });
  await remove();
  tx.record({ accesses: [access], kind, name, verb: `deleted the ${kind}`, before });
}
