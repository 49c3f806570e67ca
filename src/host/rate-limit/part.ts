// What is left of the budgets.
import type { Part } from '../../kernel/part.ts';
import { rateLimitRoutes } from './routes.ts';

export const rateLimitPart: Part = {
  routes: rateLimitRoutes,
};
