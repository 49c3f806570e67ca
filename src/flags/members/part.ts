// Members of the account as a part of the flags API.
import type { Part } from '../../kernel/module.ts';
import { patchMembers } from './bulk-routes.ts';
import { postMembers } from './invite-routes.ts';
import { memberRoutes } from './routes.ts';

export const memberPart: Part = {
  tag: { name: 'Members', description: 'Members of the account, and what they may do' },
  routes: [...memberRoutes, postMembers, patchMembers],
};
