// The download addresses of the files of gists.
import { Type } from '../../kernel/schema/schema.ts';
import { contentTypeOf, replyWithBytes } from '../contents/file-reply.ts';
import { isObjectId } from '../git/object-id.ts';
import { gistNotFound, gistRoute, READ_GIST } from './access.ts';

const getRaw = gistRoute(
  {
    id: 'gists/get-raw-file',
    method: 'GET',
    path: '/gist/{gist_id}/raw/{oid}/{path...}',
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

export const gistRawRoutes = [getRaw];
