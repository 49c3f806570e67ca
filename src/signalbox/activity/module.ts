// Changes of all APIs in one list.
import type { Module } from '../../kernel/http/module.ts';
import { activityRoutes } from './routes.ts';

export const activityModule: Module = {
  tag: { name: 'Activity', description: 'Who changed what, in all APIs' },
  routes: activityRoutes,
};
