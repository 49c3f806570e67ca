// Writes to the contents of a repository.
import { downloadHolder } from '../download-holder.ts';
import { reply } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { PUSH_REPOSITORY, repositoryRoute } from '../repositories/access.ts';
import { RepositoryParams } from '../repositories/repository-params.ts';
import { decodeContent, FileCommit, FileRemoval, FileWrite, toFileCommit } from './file-commit.ts';
import { fileEntry } from './show-content.ts';
import { writeFile } from './write-file.ts';

const AtPath = Type.Object({ ...RepositoryParams, path: Type.String() });

const putContent = repositoryRoute(
  {
    id: 'repos/create-or-update-file-contents',
    method: 'PUT',
    path: '/repos/{owner}/{repo}/contents/{path...}',
    summary: 'Create or replace a file',
    description:
      'Makes one commit. To replace a file its `sha` is needed; where the file or the branch has changed meanwhile, the ' +
      'answer is 409, and nothing is written.',
    access: PUSH_REPOSITORY,
    params: AtPath,
    body: FileWrite,
    reply: { 200: FileCommit, 201: FileCommit },
    isData: true,
  },
  'write',
  async (call, kernel, found) => {
    const { params, body, base, now } = call;
    const content = decodeContent(body.content);
    const written = await writeFile(kernel, call, found, { ...body, path: params.path, content });
    const { commit, blobs, branch, isNew } = written;
    const { secrets } = kernel;
    const holder = downloadHolder(call.caller);
    const place = { ...found, commit: commit.oid, ref: branch, base, secrets, holder, now };
    const file = fileEntry({ place }, params.path, blobs.get(params.path)!, content.length);
    return reply(isNew ? 201 : 200, toFileCommit(place, commit, file));
  },
);

const deleteContent = repositoryRoute(
  {
    id: 'repos/delete-file',
    method: 'DELETE',
    path: '/repos/{owner}/{repo}/contents/{path...}',
    summary: 'Delete a file',
    description: 'Makes one commit. The `sha` of the file is needed.',
    access: PUSH_REPOSITORY,
    params: AtPath,
    body: FileRemoval,
    reply: { 200: FileCommit },
    isData: true,
  },
  'write',
  async (call, kernel, found) => {
    const { params, body, base } = call;
    const removal = { ...body, path: params.path, content: undefined };
    const { commit } = await writeFile(kernel, call, found, removal);
    return toFileCommit({ ...found, base }, commit, null);
  },
);

export const contentWriteRoutes = [putContent, deleteContent];
