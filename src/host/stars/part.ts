// Stars.
import type { Part } from '../../kernel/module.ts';
import { ACTIVITY_TAG } from '../activity-tag.ts';
import { endWithAccount } from '../ended-accounts.ts';
import { REPOSITORY_CHANNEL } from '../repositories/access.ts';
import { starRoutes } from './routes.ts';
import { starRemovalStatements } from './store.ts';

export const starPart: Part = {
  tag: ACTIVITY_TAG,
  routes: starRoutes,
  ...endWithAccount(REPOSITORY_CHANNEL, starRemovalStatements),
};
