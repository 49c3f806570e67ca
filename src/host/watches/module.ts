// Watched repositories.
import type { Module } from '../../kernel/http/module.ts';
import { ACTIVITY_TAG } from '../events/module.ts';
import { endWithAccount } from '../ended-accounts.ts';
import { REPOSITORY_CHANNEL } from '../repositories/access.ts';
import { watchRoutes } from './routes.ts';
import { watchRemovalStatements } from './store.ts';

export const watchModule: Module = {
  tag: ACTIVITY_TAG,
  routes: watchRoutes,
  ...endWithAccount(REPOSITORY_CHANNEL, watchRemovalStatements),
};
