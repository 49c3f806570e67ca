// The API root, versions and the account as a part of the flags API.
import type { Part } from '../../kernel/module.ts';
import { rootRoutes } from './routes.ts';

export const rootPart: Part = {
  tag: { name: 'Other', description: 'The entry point, versions, the account and the caller' },
  routes: rootRoutes,
};
