// Evaluation for a context, and targets of one context, as a part of the flags API.
import type { Part } from '../../kernel/part.ts';
import { contextRoutes } from './routes.ts';
import { contextSettingRoutes } from './setting-routes.ts';

export const contextPart: Part = {
  routes: [...contextRoutes, ...contextSettingRoutes],
};
