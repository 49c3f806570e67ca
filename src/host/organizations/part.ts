// Organizations and their members.
import type { Part } from '../../kernel/module.ts';
import { organizationMigrations } from '../migrations/organizations.ts';
import { handOverMemberships, removedMembers } from './hand-over.ts';
import { organizationMemberRoutes } from './member-routes.ts';
import { membershipRoutes } from './membership-routes.ts';
import { organizationRoutes } from './routes.ts';
import { listOwnedOrganizationIds } from './store-members.ts';
import { organizationUserRoutes } from './user-routes.ts';

export const organizationPart: Part = {
  tag: { name: 'orgs', description: 'Organizations' },
  routes: [
    ...organizationRoutes,
    ...organizationMemberRoutes,
    ...membershipRoutes,
    ...organizationUserRoutes,
  ],
  migrations: organizationMigrations,
  handOver: handOverMemberships,
  auditedAccounts: listOwnedOrganizationIds,
  subscribers: () => [removedMembers],
};
