// What an account has used, and its limits.
import type { Module } from '../../kernel/http/module.ts';
import { usageRoutes } from './routes.ts';
import { userMigrations } from '../migrations/users.ts';

export const usageModule: Module = {
  tag: { name: 'Usage', description: 'What the account has used, and its limits' },
  routes: usageRoutes,
  migrations: userMigrations,
  close: ({ services }) => services.usage.save(),
};
