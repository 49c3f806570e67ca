// What people do with Actors every day: read logs by lines, see what happened to a run, send webhooks again.
import type { Module } from '../../kernel/http/module.ts';
import { dispatchWorkRoutes } from './dispatch-routes.ts';
import { logLineRoutes } from './log-routes.ts';
import { timelineRoutes } from './timeline-routes.ts';

export const actorWorkModule: Module = {
  tag: {
    name: 'Actors',
    description: 'Lines of logs, timelines of runs, and dispatches of webhooks that are sent again',
  },
  routes: [...logLineRoutes, ...timelineRoutes, ...dispatchWorkRoutes],
};
