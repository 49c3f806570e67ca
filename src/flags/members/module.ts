// Members of the account as a module of the flags API.
import type { Module } from '../../kernel/http/module.ts';
import { patchMembers } from './bulk-routes.ts';
import { postMembers } from './invite-routes.ts';
import { memberRoutes } from './routes.ts';

export const memberModule: Module = {
  tag: { name: 'Members', description: 'Members of the account, and what they may do' },
  routes: [...memberRoutes, postMembers, patchMembers],
};
