// Rules for branches.
import type { Part } from '../../kernel/module.ts';
import { endWithAccount } from '../ended-accounts.ts';
import { protectionMigrations } from '../migrations/protection.ts';
import { REPOSITORY_CHANNEL } from '../repositories/access.ts';
import { requirementRoutes } from './requirement-routes.ts';
import { restrictionRoutes } from './restriction-routes.ts';
import { protectionRoutes } from './routes.ts';
import { actorRemovalStatements } from './store-actors.ts';

export const protectionPart: Part = {
  tag: { name: 'branch protection', description: 'Rules for branches' },
  routes: [...protectionRoutes, ...requirementRoutes, ...restrictionRoutes],
  migrations: protectionMigrations,
  ...endWithAccount(REPOSITORY_CHANNEL, actorRemovalStatements),
};
