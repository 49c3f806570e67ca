// Users.
import type { Part } from '../../kernel/part.ts';
import { hostUserMigrations } from '../migrations/users.ts';
import { userRoutes } from './routes.ts';

export const userPart: Part = {
  tag: { name: 'users', description: 'Users' },
  routes: userRoutes,
  migrations: hostUserMigrations,
};
