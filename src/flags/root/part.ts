// The entry point, versions and the account.
import type { Part } from '../../kernel/part.ts';
import { rootRoutes } from './routes.ts';

export const rootPart: Part = {
  tag: { name: 'Other', description: 'The entry point, versions, the account and the caller' },
  routes: rootRoutes,
};
