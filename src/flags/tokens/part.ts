// Access tokens as a part of the flags API.
import type { Part } from '../../kernel/module.ts';
import { tokenRoutes } from './routes.ts';

export const tokenPart: Part = {
  tag: { name: 'Access tokens', description: 'Tokens of members and of services' },
  routes: tokenRoutes,
};
