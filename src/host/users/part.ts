// Users.
import type { Part } from '../../kernel/part.ts';
import { userRoutes } from './routes.ts';

export const userPart: Part = {
  routes: userRoutes,
};
