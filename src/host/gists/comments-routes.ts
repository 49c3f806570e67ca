// Comments on gists: everybody who may read the gist writes them; authors change them, and authors and the gist's owner delete them.
import type { Change } from '../../kernel/change/change.ts';
import { Failure } from '../../kernel/failure.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import { shareLockAccount } from '../../kernel/identity/store-accounts.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { reply } from '../../kernel/http/route.ts';
import { problem, Type, type Static } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { BODY_FORMATS, renderBodies } from '../contents/render-bodies.ts';
import { HostPageQuery, pageSliceOf } from '../list-query.ts';
import { listOwners } from '../owners/store.ts';
import { administersHost } from '../repositories/caller-roles.ts';
import {
  GistParams,
  gistNotFound,
  gistResource,
  gistRoute,
  ownsGist,
  READ_GIST,
  type FoundGist,
} from './access.ts';
import { GistCommentReply, GistCommentWriting, toGistComment, type GistComment } from './comments-model.ts';
import {
  deleteGistComment,
  findGistComment,
  insertGistComment,
  listGistComments,
  updateGistComment,
} from './comments-store.ts';
import { gistChange } from './record-change.ts';

const COMMENT_ON_GIST = { action: 'commentOnGist' } as const;

const CommentParams = Type.Object({
  ...GistParams.properties,
  comment_id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
});

const listComments = gistRoute(
  {
    id: 'gists/list-comments',
    method: 'GET',
    path: '/gists/{gist_id}/comments',
    summary: 'List the comments on a gist',
    description: `The oldest first. ${BODY_FORMATS}`,
    access: READ_GIST,
    params: GistParams,
    query: Type.Object(HostPageQuery),
    list: GistCommentReply,
  },
  'read',
  async (call, kernel, found) => {
    const slice = pageSliceOf(call.query);
    const { number, commentCount } = found.gist;
    const comments = await listGistComments(kernel.db, number, slice);
    return new Page(await showComments(kernel, call, found, comments), commentCount, slice);
  },
);

const getComment = gistRoute(
  {
    id: 'gists/get-comment',
    method: 'GET',
    path: '/gists/{gist_id}/comments/{comment_id}',
    summary: 'Get a comment on a gist',
    description: BODY_FORMATS,
    access: READ_GIST,
    params: CommentParams,
    reply: { 200: GistCommentReply },
  },
  'read',
  async (call, kernel, found) => {
    const comment = await findComment(kernel.db, found, call.params.comment_id);
    return await showComment(kernel, call, found, comment);
  },
);

const createComment = gistRoute(
  {
    id: 'gists/create-comment',
    method: 'POST',
    path: '/gists/{gist_id}/comments',
    summary: 'Comment on a gist',
    access: COMMENT_ON_GIST,
    params: GistParams,
    body: GistCommentWriting,
    reply: { 201: GistCommentReply },
    isData: true,
  },
  'read',
  async (call, kernel, found) => {
    const { caller, now } = call;
    call.requirePermission(gistResource(found));
    const draft = { gistNumber: found.gist.number, authorId: accountOf(caller).id, body: bodyIn(call.body) };
    const comment = await kernel.changes.run(call, async (tx) => {
      await shareLockAccount(tx.db, caller);
      const inserted = await insertGistComment(tx.db, draft, now);
      if (inserted === undefined) throw gistNotFound();
      return inserted;
    });
    const shown = await showComment(kernel, call, found, comment);
    return reply(201, shown, { location: shown.url });
  },
);

const updateComment = gistRoute(
  {
    id: 'gists/update-comment',
    method: 'PATCH',
    path: '/gists/{gist_id}/comments/{comment_id}',
    summary: 'Change a comment on a gist',
    description: 'Only its author may.',
    access: COMMENT_ON_GIST,
    params: CommentParams,
    body: GistCommentWriting,
    reply: { 200: GistCommentReply },
    isData: true,
  },
  'read',
  async (call, kernel, found) => {
    call.requirePermission(gistResource(found));
    const { number } = await findComment(kernel.db, found, call.params.comment_id, (comment) =>
      isAuthor(call.caller, comment),
    );
    const comment = await updateGistComment(kernel.db, number, bodyIn(call.body), call.now);
    if (comment === undefined) throw commentNotFound();
    return await showComment(kernel, call, found, comment);
  },
);

const deleteComment = gistRoute(
  {
    id: 'gists/delete-comment',
    method: 'DELETE',
    path: '/gists/{gist_id}/comments/{comment_id}',
    summary: 'Delete a comment on a gist',
    description: 'Its author may, the owner of the gist, and administrators of the host.',
    access: COMMENT_ON_GIST,
    params: CommentParams,
    reply: { 204: null },
    isData: true,
  },
  'read',
  async (call, kernel, found) => {
    const { caller } = call;
    call.requirePermission(gistResource(found));
    const comment = await findComment(
      kernel.db,
      found,
      call.params.comment_id,
      (one) => isAuthor(caller, one) || ownsGist(caller, found.gist) || administersHost(caller),
    );
    await kernel.changes.run(call, async (tx) => {
      if (!(await deleteGistComment(tx.db, comment))) throw commentNotFound();
      if (!isAuthor(caller, comment)) tx.record(removalByAnother(found, comment));
    });
    return reply(204);
  },
);

/** Comments are data, as stars are, and not in the audit log; but their authors may ask who has removed them. */
function removalByAnother(found: FoundGist, { number, authorId }: GistComment): Change {
  const change = gistChange(COMMENT_ON_GIST.action, 'deleted a comment of somebody else on', found);
  return { ...change, before: { comment: number, author: authorId } };
}

async function findComment(
  db: Db,
  { gist }: FoundGist,
  number: number,
  mayChange?: (comment: GistComment) => boolean,
): Promise<GistComment> {
  const comment = await findGistComment(db, gist.number, number);
  if (comment === undefined) throw commentNotFound();
  if (mayChange?.(comment) === false)
    throw new Failure('denied', 'You may not change a comment of somebody else.');
  return comment;
}

function isAuthor(caller: KnownCaller, { authorId }: GistComment): boolean {
  return accountOf(caller).id === authorId;
}

/** White space alone says nothing. */
function bodyIn({ body }: Static<typeof GistCommentWriting>): string {
  if (body.trim() === '') throw problem('body', 'must not be empty');
  return body;
}

interface ShownFor {
  headers: Record<string, string | string[] | undefined>;
  base: string;
}

async function showComment(kernel: Kernel, call: ShownFor, found: FoundGist, comment: GistComment) {
  return (await showComments(kernel, call, found, [comment]))[0]!;
}

async function showComments(
  kernel: Kernel,
  { headers, base }: ShownFor,
  { gist }: FoundGist,
  comments: readonly GistComment[],
) {
  const authors = await listOwners(
    kernel.db,
    comments.map(({ authorId }) => authorId),
  );
  const bodies = await renderBodies(
    kernel,
    comments.map(({ body }) => body),
    headers['accept'],
    { base },
  );
  return comments.map((comment, index) =>
    toGistComment(comment, gist, { author: authors.get(comment.authorId), body: bodies[index]!, base }),
  );
}

function commentNotFound(): Failure {
  return new Failure('not-found', 'There is no such comment');
}

export const gistCommentRoutes = [listComments, getComment, createComment, updateComment, deleteComment];
