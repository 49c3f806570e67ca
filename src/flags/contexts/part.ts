// Evaluation for a context, and targets of one context, as a part of the flags API.
import type { Part } from '../../kernel/module.ts';
import { contextRoutes } from './routes.ts';
import { contextSettingRoutes } from './setting-routes.ts';

export const contextPart: Part = {
  tag: {
    name: 'Contexts',
    description: 'What flags and segments come to for a context, and what is set for one',
  },
  routes: [...contextRoutes, ...contextSettingRoutes],
};
