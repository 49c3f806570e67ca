// Teams of organizations.
import type { Module } from '../../kernel/http/module.ts';
import { organizationTeamMemberRoutes } from './member-routes.ts';
import { organizationTeamRepositoryRoutes } from './repository-routes.ts';
import { organizationTeamRoutes } from './routes.ts';

/** Their tables are among those of organizations. */
export const organizationTeamModule: Module = {
  tag: { name: 'teams', description: 'Teams of organizations' },
  routes: [...organizationTeamRoutes, ...organizationTeamMemberRoutes, ...organizationTeamRepositoryRoutes],
};
