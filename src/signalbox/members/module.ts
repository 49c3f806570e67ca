// Members of the account: a search, what they may do, and links that let them in.
import type { Module } from '../../kernel/http/module.ts';
import { loginLinkRoutes } from './login-link-routes.ts';
import { memberSearchRoutes } from './routes.ts';

export const accountMemberModule: Module = {
  tag: { name: 'Members', description: 'Members of the account, what they may do, and how they get in' },
  routes: [...memberSearchRoutes, ...loginLinkRoutes],
};
