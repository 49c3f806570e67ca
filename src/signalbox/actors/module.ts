// What people do with Actors every day: read logs by lines, see what happened to runs and why, plan schedules and exports.
import type { Module } from '../../kernel/http/module.ts';
import { buildWorkRoutes } from './builds/build-routes.ts';
import { runCallRoutes } from './call-routes.ts';
import { comingRunRoutes } from './coming-routes.ts';
import { runComparisonRoutes } from './compare-routes.ts';
import { cronRoutes } from './cron-routes.ts';
import { dispatchWorkRoutes } from './dispatch-routes.ts';
import { estimateRoutes } from './estimate-routes.ts';
import { failureRoutes } from './failure-routes.ts';
import { figureRoutes } from './figure-routes.ts';
import { findRunRoutes } from './find-runs/find-runs-routes.ts';
import { runFlagRoutes } from './flag-routes.ts';
import { logLineRoutes } from './log-routes.ts';
import { memberUsageRoutes } from './member-usage-routes.ts';
import { runTimelineRoutes } from './timeline-routes.ts';
import { runUsageRoutes } from './usage-routes.ts';

export const actorWorkModule: Module = {
  tag: {
    name: 'Actors',
    description:
      'Lines of logs, steps of builds, timelines and comparisons of runs, failures by cause, what runs called, read and used, previews of schedules and exports, and dispatches of webhooks',
  },
  routes: [
    ...logLineRoutes,
    ...buildWorkRoutes,
    ...runTimelineRoutes,
    ...runComparisonRoutes,
    ...cronRoutes,
    ...comingRunRoutes,
    ...estimateRoutes,
    ...findRunRoutes,
    ...failureRoutes,
    ...figureRoutes,
    ...dispatchWorkRoutes,
    ...runUsageRoutes,
    ...memberUsageRoutes,
    ...runCallRoutes,
    ...runFlagRoutes,
  ],
};
