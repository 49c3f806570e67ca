// Tags.
import type { Part } from '../../kernel/part.ts';
import { tagRoutes } from './routes.ts';

export const tagPart: Part = {
  routes: tagRoutes,
};
