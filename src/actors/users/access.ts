// Accounts as resources of policies, and what programs may not do with them.
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import { can } from '../../kernel/identity/policy.ts';
import { Failure } from '../../kernel/failure.ts';

export const VIEW_ACCOUNT = 'viewAccount';

export function accountResource(id: string): string {
  return `user/${id}`;
}

/** Whether the caller may know more of its own account than its name: its address, and its secrets. */
export function mayViewAccount(caller: KnownCaller): boolean {
  return can(caller, VIEW_ACCOUNT, accountResource(accountOf(caller).id));
}

/** For what is about the account itself: code of other people may run in it. */
export function refusePrograms({ program }: KnownCaller): void {
  if (program !== undefined) throw new Failure('denied', 'The token of a run may not do this.');
}
