// Gists: create, read, change, fork and remove them, their revisions, and the download addresses of their files.
import { Failure } from '../../kernel/failure.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { reply, route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { contentTypeOf, replyWithBytes } from '../contents/file-reply.ts';
import { isObjectId } from '../git/objects/object-id.ts';
import { HostPageQuery, pageSliceOf } from '../list-query.ts';
import { mediaParamOf } from '../media-type.ts';
import { gistNotFound, GistParams, gistRoute, READ_GIST, UPDATE_GIST, type FoundGist } from './access.ts';
import { changeGist, createGist, forkGist, removeGist } from './change-gist.ts';
import { BaseGist, GistCommit, GistCreation, GistPatch, GistSimple, gistUrl } from './model.ts';
import { readGistFiles } from './read-git.ts';
import { showBaseGists, showGist, showRevisions } from './show-gist.ts';
import { findRevision, listGistRevisions } from './store-revisions.ts';

/** The word in the media type that asks for all contents in base64. */
const BASE64 = 'base64';

const create = route(
  {
    id: 'gists/create',
    method: 'POST',
    path: '/gists',
    summary: 'Create a gist',
    description:
      'A secret gist is in no list of others, and open to those who know its id. At most 300 files, whose names have no slash.',
    access: { action: 'createGist' },
    body: GistCreation,
    reply: { 201: GistSimple },
    isData: true,
  },
  async (call, kernel) => {
    const { body, base } = call;
    const found = await createGist(kernel, call, {
      description: body.description ?? null,
      isPublic: body.public === true || body.public === 'true',
      files: body.files,
    });
    const location = gistUrl(found.gist.id, base);
    return reply(201, await showGist(kernel, call, found), { location });
  },
);

const get = gistRoute(
  {
    id: 'gists/get',
    method: 'GET',
    path: '/gists/{gist_id}',
    summary: 'Get a gist',
    description:
      'With the first megabyte of each file, and ten of all of them; the rest is at `raw_url`. The media type ' +
      '`application/vnd.<vendor>.base64+json` gives all contents in base64.',
    access: READ_GIST,
    params: GistParams,
    reply: { 200: GistSimple },
  },
  'read',
  async (call, kernel, found) =>
    reply(200, await showGist(kernel, call, found, { isBase64: asksForBase64(call) }), cachingOf(found)),
);

const getRevision = gistRoute(
  {
    id: 'gists/get-revision',
    method: 'GET',
    path: '/gists/{gist_id}/{sha}',
    summary: 'Get a gist as it was in a revision',
    access: READ_GIST,
    params: Type.Object({ gist_id: Type.String(), sha: Type.String() }),
    reply: { 200: GistSimple },
  },
  'read',
  async (call, kernel, found) => {
    const { number } = found.gist;
    const sha = call.params.sha.toLowerCase();
    const position = /^[0-9a-f]{40}$/.test(sha) ? await findRevision(kernel.db, number, sha) : undefined;
    const git = kernel.services.gistGit.repository(number);
    const commit = position === undefined ? undefined : await git.readCommit(sha);
    if (position === undefined || commit === undefined) throw gistNotFound();
    const revision = { files: await readGistFiles(git, commit.tree), position };
    const shown = await showGist(kernel, call, found, { revision, isBase64: asksForBase64(call) });
    return reply(200, shown, cachingOf(found));
  },
);

const update = gistRoute(
  {
    id: 'gists/update',
    method: 'PATCH',
    path: '/gists/{gist_id}',
    // As `gh gist edit` sends it.
    aliases: [{ method: 'POST' }],
    summary: 'Change a gist',
    description: 'Files that are not named stay as they are. All changes of a call are one revision.',
    access: UPDATE_GIST,
    params: GistParams,
    body: GistPatch,
    reply: { 200: GistSimple },
    isData: true,
  },
  'own',
  async (call, kernel, found) => {
    const { description, files } = call.body;
    if (description === undefined && files === undefined)
      throw new Failure('invalid', 'Send a description, files, or both.', {
        fields: [{ field: 'files', message: 'is missing, and so is the description' }],
      });
    const changed = await changeGist(kernel, call, found, {
      ...(description !== undefined && { description }),
      ...(files && { files }),
    });
    return await showGist(kernel, call, changed);
  },
);

const remove = gistRoute(
  {
    id: 'gists/delete',
    method: 'DELETE',
    path: '/gists/{gist_id}',
    summary: 'Delete a gist',
    access: { action: 'deleteGist', ofOwner: true },
    params: GistParams,
    reply: { 204: null },
  },
  'own',
  async (call, kernel, found) => {
    await removeGist(kernel, call, found);
    return reply(204);
  },
);

const listCommits = gistRoute(
  {
    id: 'gists/list-commits',
    method: 'GET',
    path: '/gists/{gist_id}/commits',
    summary: 'List the revisions of a gist',
    description: 'The newest first.',
    access: READ_GIST,
    params: GistParams,
    query: Type.Object(HostPageQuery),
    list: GistCommit,
  },
  'read',
  async ({ query, base }, { db }, { gist }) => {
    const slice = pageSliceOf(query);
    const to = gist.revisionCount - slice.offset;
    const revisions = await listGistRevisions(db, gist.number, { to, limit: slice.limit });
    return new Page(await showRevisions(db, base, gist, revisions), gist.revisionCount, slice);
  },
);

const fork = gistRoute(
  {
    id: 'gists/fork',
    method: 'POST',
    path: '/gists/{gist_id}/forks',
    summary: 'Fork a gist',
    description: 'A fork is public or secret as the gist is. Who has forked it already gets that fork.',
    access: { action: 'createGist', ofOwner: true },
    params: GistParams,
    reply: { 201: BaseGist },
    isData: true,
  },
  'read',
  async (call, kernel, found) => {
    const forked = await forkGist(kernel, call, found);
    const [shown] = await showBaseGists(kernel, call, [forked.gist]);
    return reply(201, shown, { location: gistUrl(forked.gist.id, call.base) });
  },
);

/** Shared caches do not keep what those who know the id have read. */
function cachingOf({ gist }: FoundGist): Record<string, string> | undefined {
  return gist.isPublic ? undefined : { 'cache-control': 'private, max-age=60' };
}

function asksForBase64({ headers }: { headers: Record<string, string | string[] | undefined> }): boolean {
  const { accept } = headers;
  return typeof accept === 'string' && mediaParamOf(accept) === BASE64;
}

const getRaw = gistRoute(
  {
    id: 'gists/get-raw-file',
    method: 'GET',
    path: '/gist/{gist_id}/raw/{oid}/{path...}',
    isContent: true,
    summary: 'Get the bytes of a file of a gist',
    description:
      'The `raw_url` of a file leads here: it names the content, which never changes. Parts by Range.',
    access: READ_GIST,
    params: Type.Object({ gist_id: Type.String(), oid: Type.String(), path: Type.String() }),
    produces: '*/*',
    reply: { 200: Type.String({ format: 'binary' }), 206: Type.String({ format: 'binary' }), 304: null },
  },
  'read',
  async (call, kernel, { gist }) => {
    const { oid, path } = call.params;
    const git = kernel.services.gistGit.repository(gist.number);
    const blob = isObjectId(oid) ? await git.readBlob(oid) : undefined;
    if (blob === undefined) throw gistNotFound();
    return await replyWithBytes(kernel, call, {
      git,
      oid,
      ...blob,
      contentType: contentTypeOf(path, blob.content),
      ...(!gist.isPublic && { headers: { 'cache-control': 'private, max-age=60' } }),
    });
  },
);

export const gistRoutes = [create, get, getRevision, update, remove, listCommits, fork, getRaw];
