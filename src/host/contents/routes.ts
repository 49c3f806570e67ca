// Reads of the contents of a repository: files, folders, the README, the licence, and the download addresses of files.
import { reply, type Call, route } from '../../kernel/http/route.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { mayHolderRead, holderOfDownload } from '../download-token.ts';
import { askedFormat } from '../media-type.ts';
import {
  READ_REPOSITORY,
  repositoryRoute,
  type FoundRepository,
  openDownload,
  RepositoryParams,
} from '../repositories/access.ts';
import { OTHER_LICENSE_ID, licenseOf } from '../licenses/license.ts';
import { type FileCall, contentTypeOf, replyWithBytes } from './file-reply.ts';
import {
  contentNotFound,
  findContent,
  openContents,
  findLicenseFile,
  findReadmeFile,
} from './find-content.ts';
import {
  ContentEntry,
  ContentFile,
  ContentFolder,
  ContentSubmodule,
  ContentSymlink,
  LicenseContent,
} from './model.ts';
import {
  replyReady,
  hasSubmodules,
  listFolder,
  replyWithFile,
  showFile,
  showFolder,
  showSubmodule,
  showSymlink,
} from './show-content.ts';

const AtRef = Type.Object({
  ref: Type.Optional(
    Type.String({ description: 'A branch, a tag or a commit; the default branch when not given' }),
  ),
});

const getContent = repositoryRoute(
  {
    id: 'repos/get-content',
    method: 'GET',
    path: '/repos/{owner}/{repo}/contents/{path...}',
    summary: 'Get a file or the entries of a folder',
    description:
      'The media type `raw` gives the bytes of a file, also parts of it by Range; `html` gives it rendered; `object` gives ' +
      'a folder as an object with `entries`. A symbolic link to a file of the repository gives that file. At most 1,000 ' +
      'entries of a folder are listed. Files above 1 MB have no `content` in JSON; above 100 MB they are refused.',
    access: READ_REPOSITORY,
    params: Type.Object({ ...RepositoryParams, path: Type.String() }),
    query: AtRef,
    reply: {
      200: Type.Union([
        Type.Array(ContentEntry),
        ContentFile,
        ContentFolder,
        ContentSymlink,
        ContentSubmodule,
      ]),
    },
  },
  'read',
  async (call, kernel, repository) => {
    const opened = await openContents(kernel, repository, call.query.ref, call);
    const found = await findContent(opened, call.params.path);
    const { param } = askedFormat(call.headers['accept']);
    switch (found.kind) {
      case 'tree':
        if (param === 'object') return await showFolder(opened, found);
        // Submodules differ between versions.
        if (await hasSubmodules(opened, found)) return await listFolder(opened, found);
        return await replyReady(kernel, opened.place, found, () => listFolder(opened, found));
      case 'commit':
        return await showSubmodule(opened, found);
      case 'symlink':
        if (param !== 'raw') return await showSymlink(opened, found, found.target ?? '');
        return await replyWithFile(kernel, opened, found, call, (file) => file);
      default:
        if (param === 'raw' || param === 'html')
          return await replyWithFile(kernel, opened, found, call, (file) => file);
        return await replyReady(kernel, opened.place, found, () => showFile(opened, found));
    }
  },
);

const getReadme = repositoryRoute(
  {
    id: 'repos/get-readme',
    method: 'GET',
    path: '/repos/{owner}/{repo}/readme',
    summary: 'Get the README of a repository',
    description:
      'It is looked for in `.github`, in the root and in `docs`. The media types are those of files.',
    access: READ_REPOSITORY,
    params: Type.Object(RepositoryParams),
    query: AtRef,
    reply: { 200: ContentFile },
  },
  'read',
  (call, kernel, repository) => replyWithReadme(kernel, repository, call, undefined),
);

const getFolderReadme = repositoryRoute(
  {
    id: 'repos/get-readme-in-directory',
    method: 'GET',
    path: '/repos/{owner}/{repo}/readme/{dir...}',
    summary: 'Get the README of a folder',
    access: READ_REPOSITORY,
    params: Type.Object({ ...RepositoryParams, dir: Type.String() }),
    query: AtRef,
    reply: { 200: ContentFile },
  },
  'read',
  (call, kernel, repository) => replyWithReadme(kernel, repository, call, call.params.dir.replace(/\/$/, '')),
);

/** Of one folder, or of the whole repository. */
async function replyWithReadme(
  kernel: Kernel,
  repository: FoundRepository,
  call: FileCall & Pick<Call, 'base' | 'now'> & { query: { ref?: string } },
  folder: string | undefined,
) {
  const opened = await openContents(kernel, repository, call.query.ref, call);
  const found = await findReadmeFile(opened, folder);
  if (found === undefined) throw contentNotFound();
  return await replyWithFile(kernel, opened, found, call, (file) => file);
}

const getLicense = repositoryRoute(
  {
    id: 'licenses/get-for-repo',
    method: 'GET',
    path: '/repos/{owner}/{repo}/license',
    summary: 'Get the licence of a repository',
    access: READ_REPOSITORY,
    params: Type.Object(RepositoryParams),
    query: AtRef,
    reply: { 200: LicenseContent },
  },
  'read',
  async (call, kernel, repository) => {
    const opened = await openContents(kernel, repository, call.query.ref, call);
    const found = await findLicenseFile(opened);
    if (found === undefined) throw contentNotFound();
    const { license: spdxId } = repository.repository;
    return await replyWithFile(kernel, opened, found, call, (file) =>
      reply(200, { ...file, license: licenseOf(spdxId ?? OTHER_LICENSE_ID, call.base) }),
    );
  },
);

const getRaw = route(
  {
    id: 'repos/get-raw-file',
    method: 'GET',
    path: '/raw/{owner}/{repo}/{ref}/{path...}',
    isContent: true,
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

export const contentRoutes = [getContent, getReadme, getFolderReadme, getLicense, getRaw];
