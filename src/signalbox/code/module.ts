// What people do with code every day and the host API does not say: why a pull request cannot be merged, who wrote a line, and what changed an entry.
import type { Module } from '../../kernel/http/module.ts';
import { scannedAlertRoutes } from './alert-routes.ts';
import { blameRoutes } from './blame-routes.ts';
import { openCountRoutes } from './count-routes.ts';
import { lastChangesRoutes } from './last-changes-routes.ts';
import { repositorySummaryRoutes } from './summary-routes.ts';
import { mergeCheckRoutes } from './merge-check-routes.ts';
import { standingRoutes } from './standing-routes.ts';

export const codeWorkModule: Module = {
  tag: {
    name: 'Code',
    description:
      'Every reason why a pull request cannot be merged, the commits that lines come from, those that last changed the entries of a folder, what a repository is to the caller, the alerts of all their repositories, and how much is open in one',
  },
  routes: [
    ...mergeCheckRoutes,
    ...blameRoutes,
    ...lastChangesRoutes,
    ...standingRoutes,
    ...scannedAlertRoutes,
    ...openCountRoutes,
    ...repositorySummaryRoutes,
  ],
};
