// What people do with Actors every day: read logs by lines.
import type { Module } from '../../kernel/http/module.ts';
import { logLineRoutes } from './log-routes.ts';

export const actorWorkModule: Module = {
  tag: {
    name: 'Actors',
    description: 'Lines of logs',
  },
  routes: [...logLineRoutes],
};
