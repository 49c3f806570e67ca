// Accounts as resources of policies.
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import { can } from '../../kernel/identity/policy.ts';

export const VIEW_ACCOUNT = 'viewAccount';

export function accountResource(id: string): string {
  return `user/${id}`;
}

/** Whether the caller may know more of its own account than its name: its address, and its secrets. */
export function mayViewAccount(caller: KnownCaller): boolean {
  return can(caller, VIEW_ACCOUNT, accountResource(accountOf(caller).id));
}
