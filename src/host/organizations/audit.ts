// What the audit log keeps of organizations and memberships.
import type { Access } from '../../kernel/identity/actor.ts';
import type { Change } from '../../kernel/change/change.ts';
import { organizationResource, type Organization, type OrganizationMembership } from './model.ts';

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
