// What an account has used, and its limits.
import type { Part } from '../../kernel/module.ts';
import { usageRoutes } from './routes.ts';
import { userMigrations } from '../migrations/users.ts';

export const usagePart: Part = {
  tag: { name: 'Usage', description: 'What the account has used, and its limits' },
  routes: usageRoutes,
  migrations: userMigrations,
  close: ({ services }) => services.usage.save(),
};
