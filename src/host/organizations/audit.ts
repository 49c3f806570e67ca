// What the audit log keeps of organizations and memberships, and what webhooks learn of members who join or leave.
import type { Change } from '../../kernel/change/change.ts';
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import type { Access } from '../../kernel/identity/actor.ts';
import type { Account } from '../../kernel/identity/store-accounts.ts';
import type { EventDetails } from '../events/model.ts';
import { recordEvent } from '../events/record-event.ts';
import { ownerOfAccount } from '../owners/model.ts';
import {
  organizationResource,
  type Organization,
  type OrganizationMembership,
  type OrganizationRole,
} from './model.ts';

export function auditedOrganization({ number, login, profile, settings, defaultPermission }: Organization) {
  return { id: number, login, defaultPermission, ...profile, ...settings };
}

export const MEMBER_ACTION = 'updateOrganizationMembers';

interface MembershipChange {
  organization: Organization;
  username: string;
  verb: string;
  before?: OrganizationMembership | undefined;
  after?: OrganizationMembership | undefined;
}

/** The permission is one on the organization; the entry is found by the member, too. */
export function membershipChange({
  organization,
  username,
  verb,
  before,
  after,
}: MembershipChange): Change & { requirements: Access[] } {
  const resource = organizationResource(organization);
  const shown = ({ role, isPublic }: OrganizationMembership) => ({
    organization: organization.login,
    member: username,
    role,
    isPublic,
  });
  return {
    accesses: [{ action: MEMBER_ACTION, resource: `${resource}:member/${username}` }],
    requirements: [{ action: MEMBER_ACTION, resource }],
    kind: 'organization-member',
    name: username,
    verb,
    ownerId: organization.id,
    ...(before && { before: shown(before) }),
    ...(after && { after: shown(after) }),
  };
}

interface JoinedOrLeft {
  account: Account;
  role: OrganizationRole;
  action: 'member_added' | 'member_removed';
}

/** The events of members who join or leave an organization. */
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
