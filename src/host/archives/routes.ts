// Archives of a commit: the addresses by branch or tag lead to one of the commit, which streams it.
import { matchesEtag } from '../../kernel/http/reply/etag.ts';
import type { Caller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { reply, route, Stream, type Reply } from '../../kernel/http/route.ts';
import { OneOf, Type } from '../../kernel/schema/schema.ts';
import { userContentHeaders } from '../../kernel/http/reply/user-content.ts';
import { findContentCommit } from '../contents/find-content.ts';
import { downloadHolder, mayHolderRead, holderOfDownload, signDownload } from '../download-token.ts';
import { openArchive } from '../git/archive.ts';
import { asDownload } from '../transport/downloads.ts';
import {
  openDownload,
  readOpened,
  READ_REPOSITORY,
  repositoryRoute,
  type FoundRepository,
  RepositoryParams,
} from '../repositories/access.ts';
import { siteOf } from '../site.ts';

type Format = 'tar.gz' | 'zip';

const CONTENT_TYPES: Record<Format, string> = { 'tar.gz': 'application/x-gzip', zip: 'application/zip' };

const AtRef = Type.Object({ ...RepositoryParams, ref: Type.String() });

const downloadTarball = repositoryRoute(
  {
    id: 'repos/download-tarball-archive',
    method: 'GET',
    path: '/repos/{owner}/{repo}/tarball/{ref...}',
    summary: 'Download a repository as a tar archive',
    description: 'Leads to the address of the archive. Without a `ref` it is that of the default branch.',
    access: READ_REPOSITORY,
    params: AtRef,
    reply: { 302: null },
  },
  'read',
  (call, kernel, found) => redirect(kernel, found, call, 'tar.gz'),
);

const downloadZipball = repositoryRoute(
  {
    id: 'repos/download-zipball-archive',
    method: 'GET',
    path: '/repos/{owner}/{repo}/zipball/{ref...}',
    summary: 'Download a repository as a zip archive',
    description: 'Leads to the address of the archive. Without a `ref` it is that of the default branch.',
    access: READ_REPOSITORY,
    params: AtRef,
    reply: { 302: null },
  },
  'read',
  (call, kernel, found) => redirect(kernel, found, call, 'zip'),
);

async function redirect(
  { services, secrets }: Kernel,
  found: FoundRepository,
  { params, base, now, caller }: { params: { ref: string }; base: string; now: number; caller: Caller },
  format: Format,
): Promise<Reply> {
  const { repository, owner } = found;
  const git = services.git.repository(repository.number);
  const { oid: commit } = await findContentCommit(git, found, params.ref);
  const address = `${siteOf(base)}/archives/${owner.login}/${repository.name}/${format}/${commit}`;
  const holder = downloadHolder(caller);
  const download = { holder, kind: 'archive', repository: repository.number, commit, item: format } as const;
  const query = repository.isPrivate ? `?token=${signDownload(secrets, download, now)}` : '';
  return reply(302, undefined, { location: address + query, 'cache-control': 'no-store' });
}

const getArchive = route(
  {
    id: 'repos/get-archive',
    method: 'GET',
    path: '/archives/{owner}/{repo}/{format}/{commit}',
    isContent: true,
    summary: 'Get the archive of a commit',
    description:
      'For a private repository the address has a token, which is good for this archive, for at most an hour.',
    access: READ_REPOSITORY,
    params: Type.Object({
      owner: Type.String(),
      repo: Type.String(),
      format: OneOf(['tar.gz', 'zip']),
      commit: Type.String({ pattern: '^[0-9a-f]{40}$' }),
    }),
    query: Type.Object({ token: Type.Optional(Type.String()) }),
    produces: '*/*',
    reply: { 200: Type.String({ format: 'binary' }), 304: null },
  },
  async (call, kernel) => {
    const { params, query, headers: asked, now } = call;
    const { commit: id, format } = params;
    const found = await openDownload(kernel, call, async (named) => {
      const { number } = named.repository;
      const download = { kind: 'archive', repository: number, commit: id, item: format } as const;
      const holder = holderOfDownload(kernel.secrets, query.token, download, now);
      return holder !== undefined && (await mayHolderRead(kernel, holder, named, now));
    });
    return await readOpened(kernel, found, async ({ repository, owner }) => {
      const git = kernel.services.git.repository(repository.number, call.signal);
      const { oid } = await findContentCommit(git, found, id);
      const prefix = `${owner.login}-${repository.name}-${oid.slice(0, 7)}`;
      const headers = {
        ...userContentHeaders(CONTENT_TYPES[format], `${prefix}.${format}`),
        etag: `"${oid}-${format}"`,
        ...(repository.isPrivate && { 'cache-control': 'private, max-age=60' }),
      };
      if (matchesEtag(asked['if-none-match']?.toString(), headers.etag))
        return reply(304, undefined, headers);
      if (call.method === 'HEAD') return reply(200, undefined, headers);
      const archive = await openArchive(git, { tree: oid, format, prefix });
      return new Stream(await asDownload(kernel, call, archive), headers);
    });
  },
);

export const archiveRoutes = [downloadTarball, downloadZipball, getArchive];
