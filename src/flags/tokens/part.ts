// Access tokens as a part of the flags API.
import type { Part } from '../../kernel/part.ts';
import { tokenRoutes } from './routes.ts';

export const tokenPart: Part = {
  routes: tokenRoutes,
};
