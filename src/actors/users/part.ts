// Users.
import type { Part } from '../../kernel/module.ts';
import { userRoutes } from './routes.ts';

export const userPart: Part = {
  tag: { name: 'Users', description: 'Accounts' },
  routes: userRoutes,
};
