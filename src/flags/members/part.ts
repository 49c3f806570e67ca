// Members of the account as a part of the flags API.
import type { Part } from '../../kernel/part.ts';
import { patchMembers } from './bulk-routes.ts';
import { postMembers } from './invite-routes.ts';
import { memberRoutes } from './routes.ts';

export const memberPart: Part = {
  routes: [...memberRoutes, postMembers, patchMembers],
};
