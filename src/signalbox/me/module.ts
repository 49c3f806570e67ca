// Who the caller is, what they may do, and what they prefer.
import type { Module } from '../../kernel/http/module.ts';
import { ownStatements } from '../own-affairs.ts';
import { preferenceMigrations } from '../migrations/preferences.ts';
import { meRoutes } from './routes.ts';

export const meModule: Module = {
  tag: { name: 'Me', description: 'The caller, their permissions and their preferences' },
  routes: meRoutes,
  roleStatements: [ownStatements],
  migrations: preferenceMigrations,
};
