// Organizations and their members.
import type { Module } from '../../kernel/http/module.ts';
import { organizationMigrations } from '../migrations/organizations.ts';
import { transferMemberships, removedMembers } from './change.ts';
import { organizationMemberRoutes } from './member-routes.ts';
import { membershipRoutes, organizationUserRoutes } from './membership-routes.ts';
import { organizationRoutes } from './routes.ts';
import { listOwnedOrganizationIds } from './store-members.ts';

export const organizationModule: Module = {
  tag: { name: 'orgs', description: 'Organizations' },
  routes: [
    ...organizationRoutes,
    ...organizationMemberRoutes,
    ...membershipRoutes,
    ...organizationUserRoutes,
  ],
  migrations: organizationMigrations,
  transferOwnership: transferMemberships,
  auditedAccounts: listOwnedOrganizationIds,
  subscribers: () => [removedMembers],
};
