// The download addresses of files.
import { route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { mayHolderRead } from '../download-holder.ts';
import { holderOfDownload } from '../download-token.ts';
import { openDownload, READ_REPOSITORY } from '../repositories/access.ts';
import { contentTypeOf, replyWithBytes } from './file-reply.ts';
import { contentNotFound, findContent, openContents } from './find-content.ts';

const getRaw = route(
  {
    id: 'repos/get-raw-file',
    method: 'GET',
    path: '/raw/{owner}/{repo}/{ref}/{path...}',
    summary: 'Get the bytes of a file',
    description:
      'The `download_url` of a file leads here. For a private repository it has a token, which is good for this file of this ' +
      'commit, for at most an hour. A slash in `ref` is written as `%2F`. Parts by Range.',
    access: READ_REPOSITORY,
    params: Type.Object({
      owner: Type.String(),
      repo: Type.String(),
      ref: Type.String(),
      path: Type.String(),
    }),
    query: Type.Object({ token: Type.Optional(Type.String()) }),
    produces: '*/*',
    reply: { 200: Type.String({ format: 'binary' }), 206: Type.String({ format: 'binary' }), 304: null },
  },
  async (call, kernel) => {
    const { params, query, now } = call;
    const found = await openDownload(kernel, call, async (named) => {
      const { number } = named.repository;
      const download = { kind: 'file', repository: number, commit: params.ref, item: params.path } as const;
      const holder = holderOfDownload(kernel.secrets, query.token, download, now);
      return holder !== undefined && (await mayHolderRead(kernel, holder, named, now));
    });
    const opened = await openContents(kernel, found, params.ref, call);
    const { kind, oid, path } = await findContent(opened, params.path);
    const blob = kind === 'blob' || kind === 'symlink' ? await opened.git.readBlob(oid) : undefined;
    if (blob === undefined) throw contentNotFound();
    return await replyWithBytes(kernel, call, {
      git: opened.git,
      oid,
      ...blob,
      contentType: contentTypeOf(path, blob.content),
      ...(found.repository.isPrivate && { headers: { 'cache-control': 'private, max-age=60' } }),
    });
  },
);

export const rawRoutes = [getRaw];
