// Access tokens.
import type { Part } from '../../kernel/part.ts';
import { tokenRoutes } from './routes.ts';

export const tokenPart: Part = {
  routes: tokenRoutes,
};
