// Who the caller is, what they may do, what they prefer, and what they change about themselves.
import type { Module } from '../../kernel/http/module.ts';
import { ownStatements } from '../own-affairs.ts';
import { preferenceMigrations } from '../migrations/preferences.ts';
import { externalLoginRoutes } from '../external-login/routes.ts';
import { passwordRoutes } from './password-routes.ts';
import { profileRoutes } from './profile-routes.ts';
import { secondFactorRoutes } from './second-factor-routes.ts';
import { meRoutes } from './routes.ts';

export const meModule: Module = {
  tag: { name: 'Me', description: 'The caller, their permissions and their preferences' },
  routes: [...meRoutes, ...profileRoutes, ...passwordRoutes, ...secondFactorRoutes, ...externalLoginRoutes],
  roleStatements: [ownStatements],
  migrations: preferenceMigrations,
  sealedColumns: [{ table: 'second_factors', column: 'secret', key: ['member_id'] }],
};
