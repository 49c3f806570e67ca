// The rate-limit status.
import type { Part } from '../../kernel/part.ts';
import { rateLimitRoutes } from './routes.ts';

export const rateLimitPart: Part = {
  routes: rateLimitRoutes,
};
