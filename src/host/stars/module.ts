// Stars.
import type { Module } from '../../kernel/http/module.ts';
import { ACTIVITY_TAG } from '../events/module.ts';
import { endWithAccount } from '../ended-accounts.ts';
import { REPOSITORY_CHANNEL } from '../repositories/access.ts';
import { starRoutes } from './routes.ts';
import { starRemovalStatements } from './store.ts';

export const starModule: Module = {
  tag: ACTIVITY_TAG,
  routes: starRoutes,
  ...endWithAccount(REPOSITORY_CHANNEL, starRemovalStatements),
};
