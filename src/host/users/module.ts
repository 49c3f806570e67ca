// Users.
import type { Module } from '../../kernel/http/module.ts';
import { endWithAccount } from '../ended-accounts.ts';
import { hostUserMigrations } from '../migrations/users.ts';
import { emailRoutes } from './email-routes.ts';
import { followRoutes, userRoutes } from './routes.ts';
import { keyRoutes } from './key-routes.ts';
import { userRemovalStatements } from './store.ts';

export const userModule: Module = {
  tag: { name: 'users', description: 'Users' },
  routes: [...userRoutes, ...emailRoutes, ...keyRoutes, ...followRoutes],
  migrations: hostUserMigrations,
  ...endWithAccount('host-users', userRemovalStatements),
};
