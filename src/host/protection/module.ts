// Rules for branches.
import type { Module } from '../../kernel/http/module.ts';
import { endWithAccount } from '../ended-accounts.ts';
import { protectionMigrations } from '../migrations/protection.ts';
import { REPOSITORY_CHANNEL } from '../repositories/access.ts';
import { requirementRoutes } from './requirement-routes.ts';
import { restrictionRoutes } from './restriction-routes.ts';
import { protectionRoutes } from './routes.ts';
import { actorRemovalStatements } from './store-actors.ts';

export const protectionModule: Module = {
  tag: { name: 'branch protection', description: 'Rules for branches' },
  routes: [...protectionRoutes, ...requirementRoutes, ...restrictionRoutes],
  migrations: protectionMigrations,
  ...endWithAccount(REPOSITORY_CHANNEL, actorRemovalStatements),
};
