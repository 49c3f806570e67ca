// Pull requests.
import type { Module } from '../../kernel/http/module.ts';
import { pullMigrations } from '../migrations/pulls.ts';
import { finishMergeHandler } from '../pull-merges/finish-merge.ts';
import { pullMergeRoutes } from '../pull-merges/routes.ts';
import { mergeCheckHandlers } from './merge-checks/check-merges.ts';
import { pullContentRoutes } from './content-routes.ts';
import { pullHandlers } from './follow-pushes.ts';
import { pullRoutes } from './routes.ts';
import { FINISH_MERGE } from './schedule-work.ts';
import { updateBranchRoutes } from './update-branch.ts';

export const PULLS_TAG = {
  name: 'pulls',
  description: 'Pull requests: branches that are to be merged into others',
};

export const pullModule: Module = {
  tag: PULLS_TAG,
  routes: [...pullRoutes, ...pullContentRoutes, ...updateBranchRoutes, ...pullMergeRoutes],
  migrations: pullMigrations,
  work: (kernel) => ({
    handlers: {
      ...pullHandlers(kernel),
      ...mergeCheckHandlers(kernel),
      [FINISH_MERGE]: finishMergeHandler(kernel),
    },
  }),
};
