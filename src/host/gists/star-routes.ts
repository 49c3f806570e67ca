// Stars of gists: give, take and check them.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { Failure } from '../../kernel/failure.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import { shareLockAccount } from '../../kernel/identity/store-accounts.ts';
import { reply } from '../../kernel/http/route.ts';
import { userResource } from '../users/access.ts';
import { gistNotFound, GistParams, gistRoute, type FoundGist } from './access.ts';
import { lockGist } from './store.ts';
import { deleteGistStar, hasGistStar, insertGistStar } from './store-stars.ts';

const CHECK_STARS = { action: 'viewStars', ofOwner: true } as const;
const CHANGE_STARS = { action: 'updateStars', ofOwner: true } as const;

const check = gistRoute(
  {
    id: 'gists/check-is-starred',
    method: 'GET',
    path: '/gists/{gist_id}/star',
    summary: 'Check whether the caller has starred a gist',
    description: 'Answered 204 when they have, and 404 when they have not.',
    access: CHECK_STARS,
    params: GistParams,
    reply: { 204: null },
  },
  'read',
  async (call, { db }, { gist }) => {
    const account = accountOf(call.caller);
    call.requirePermission(userResource(account));
    if (!(await hasGistStar(db, account.id, gist.number)))
      throw new Failure('not-found', 'You have not starred the gist');
    return reply(204);
  },
);

const star = gistRoute(
  {
    id: 'gists/star',
    method: 'PUT',
    path: '/gists/{gist_id}/star',
    summary: 'Star a gist',
    access: CHANGE_STARS,
    params: GistParams,
    reply: { 204: null },
    isData: true,
  },
  'read',
  async (call, { changes }, found) => {
    const account = accountOf(call.caller);
    call.requirePermission(userResource(account));
    await changes.run(call, async (tx) => {
      await shareLockAccount(tx.db, call.caller);
      await lockForStar(tx, found);
      await insertGistStar(tx.db, account.id, found.gist.number, call.now);
    });
    return reply(204);
  },
);

const unstar = gistRoute(
  {
    id: 'gists/unstar',
    method: 'DELETE',
    path: '/gists/{gist_id}/star',
    summary: 'Take back the star of a gist',
    access: CHANGE_STARS,
    params: GistParams,
    reply: { 204: null },
    isData: true,
  },
  'read',
  async (call, { changes }, found) => {
    const account = accountOf(call.caller);
    call.requirePermission(userResource(account));
    await changes.run(call, async (tx) => {
      await lockForStar(tx, found);
      await deleteGistStar(tx.db, account.id, found.gist.number);
    });
    return reply(204);
  },
);

async function lockForStar({ db }: ChangeTransaction, { gist }: FoundGist): Promise<void> {
  if ((await lockGist(db, gist.number)) === undefined) throw gistNotFound();
}

export const gistStarRoutes = [check, star, unstar];
