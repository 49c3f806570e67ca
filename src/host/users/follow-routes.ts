// Who follows whom. People cannot follow each other on this server, so that the lists are empty.
import { Page } from '../../kernel/http/reply/page.ts';
import { route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { HostPageQuery, pageSliceOf } from '../list-query.ts';
import { SimpleUser } from '../owners/model.ts';
import { findOwner } from '../owners/store.ts';
import { userNotFound } from './access.ts';

const DESCRIPTION = 'People cannot follow each other on this server: the list is empty.';

const own = (id: string, path: string, summary: string) =>
  route(
    {
      id,
      method: 'GET',
      path,
      summary,
      description: DESCRIPTION,
      access: 'caller',
      query: Type.Object(HostPageQuery),
      list: SimpleUser,
    },
    ({ query }) => new Page([], 0, pageSliceOf(query)),
  );

const ofUser = (id: string, path: string, summary: string) =>
  route(
    {
      id,
      method: 'GET',
      path,
      summary,
      description: DESCRIPTION,
      access: 'anyone',
      params: Type.Object({ username: Type.String() }),
      query: Type.Object(HostPageQuery),
      list: SimpleUser,
    },
    async ({ params: { username }, query }, { db }) => {
      if ((await findOwner(db, username)) === undefined) throw userNotFound(username);
      return new Page([], 0, pageSliceOf(query));
    },
  );

export const followRoutes = [
  own('users/list-followers-for-authenticated-user', '/user/followers', 'List who follows the caller'),
  own('users/list-followed-by-authenticated-user', '/user/following', 'List whom the caller follows'),
  ofUser('users/list-followers-for-user', '/users/{username}/followers', 'List who follows a user'),
  ofUser('users/list-following-for-user', '/users/{username}/following', 'List whom a user follows'),
];
