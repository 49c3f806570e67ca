// The events of members who join or leave an organization.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import type { Account } from '../../kernel/identity/store-accounts.ts';
import type { EventDetails } from '../events/model.ts';
import { recordEvent } from '../events/record-event.ts';
import { ownerOfAccount } from '../owners/model.ts';
import type { Organization, OrganizationRole } from './model.ts';

interface JoinedOrLeft {
  account: Account;
  role: OrganizationRole;
  action: 'member_added' | 'member_removed';
}

export async function recordMembership(
  tx: ChangeTransaction,
  organization: Organization,
  { account, role, action }: JoinedOrLeft,
): Promise<void> {
  const details = {
    membership: { user: ownerOfAccount(account), role, state: 'active' },
  } satisfies EventDetails[`organization.${JoinedOrLeft['action']}`];
  await recordEvent(tx, { name: 'organization', action, details }, { organization });
}
