// Users.
import type { Part } from '../../kernel/part.ts';
import { hostUserMigrations } from '../migrations/users.ts';
import { emailRoutes } from './email-routes.ts';
import { keyRoutes } from './key-routes.ts';
import { userRoutes } from './routes.ts';
import { deleteUserData } from './store.ts';

export const userPart: Part = {
  tag: { name: 'users', description: 'Users' },
  routes: [...userRoutes, ...emailRoutes, ...keyRoutes],
  migrations: hostUserMigrations,
  // What a user says about itself is not for another.
  handOver: ({ db }, from) => deleteUserData(db, from.id),
};
