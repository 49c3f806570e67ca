// Writes to the contents of a repository: a file is written or removed with one commit on a branch.
import { Failure } from '../../kernel/failure.ts';
import { reply } from '../../kernel/http/route.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Type, Nullable, type Static } from '../../kernel/schema/schema.ts';
import { downloadHolder } from '../download-token.ts';
import {
  decodeLines,
  GitCommitReply,
  toGitCommit,
  personIn,
  SentPerson,
  gitUrlsOf,
} from '../git-data/model.ts';
import { LARGE_CONTENT } from '../git-data/receive-file.ts';
import { commitFiles, type CommittedFiles } from '../git/commit-files.ts';
import type { GitCommit, GitPerson } from '../git/objects/commit-object.ts';
import type { StoredFile } from '../git/objects/write-large-blob.ts';
import type { GitRepository } from '../git/repository.ts';
import { checkPath, isBranchName } from '../git/refs/revision.ts';
import { RefUpdateRefused } from '../git/refs/update-refs.ts';
import { ONE_COMMIT, requireRefChange, type RefChange } from '../protection/check-ref-changes.ts';
import { changeRefs } from '../pushes/push.ts';
import {
  PUSH_REPOSITORY,
  repositoryRoute,
  type FoundRepository,
  RepositoryParams,
} from '../repositories/access.ts';
import type { Repository } from '../repositories/repository.ts';
import { contentNotFound } from './find-content.ts';
import { FileInCommit, type ContentEntryRep } from './model.ts';
import { fileEntry } from './show-content.ts';

interface SentChange {
  path: string;
  /** Undefined removes the file. */
  content: Buffer | StoredFile | undefined;
  message: string;
  sha?: string;
  branch?: string;
  author?: { name: string; email: string; date?: string };
  committer?: { name: string; email: string; date?: string };
}

interface WrittenFile extends CommittedFiles {
  branch: string;
  isNew: boolean;
}

/** Others may move the branch meanwhile: by pushes, merges, or calls of other nodes. */
const MAX_TRIES = 10;

/**
 * Where anything is wrong, nothing is written. Where the branch has moved meanwhile, the change is made to what it has now: the
 * `sha` of the file decides whether that is what the caller means.
 */
async function writeFile(
  kernel: Kernel,
  actor: { caller: KnownCaller; now: number },
  found: FoundRepository,
  sent: SentChange,
): Promise<WrittenFile> {
  const { number, defaultBranch } = found.repository;
  checkPath(sent.path);
  const branch = (sent.branch ?? defaultBranch).replace(/^refs\/heads\//, '');
  return await kernel.services.writeTurns.inTurn(`${number}:${branch}`, async () => {
    for (let tries = 1; ; tries += 1)
      try {
        return await writeOnce(kernel, actor, found, { ...sent, branch });
      } catch (error) {
        if (!isContested(error) || tries === MAX_TRIES) throw error;
      }
  });
}

function isContested(error: unknown): boolean {
  return error instanceof RefUpdateRefused && (error.reason === 'changed' || error.reason === 'locked');
}

async function writeOnce(
  kernel: Kernel,
  actor: { caller: KnownCaller; now: number },
  found: FoundRepository,
  sent: SentChange & { branch: string },
): Promise<WrittenFile> {
  const { repository } = found;
  const { branch } = sent;
  const git = kernel.services.git.repository(repository.number);
  const ref = `refs/heads/${branch}`;
  const parent = await findBranchCommit(git, repository, branch);
  const isNew = await checkSha(git, parent, sent);
  const commit = {
    ref,
    parent,
    changes: [{ path: sent.path, content: sent.content }],
    ...personsOf(sent, actor),
    message: sent.message,
    check: (update: RefChange) =>
      requireRefChange(kernel, found, actor.caller, update, {
        history: ONE_COMMIT,
        failed: `Could not ${sent.content === undefined ? 'delete' : isNew ? 'create' : 'update'} file`,
      }),
  };
  const committed = await commitFiles(git, commit, (updates) =>
    changeRefs(kernel, actor, found, updates, new Set(updates.flatMap(({ to }) => to ?? []))),
  );
  return { ...committed, branch, isNew };
}

/** Undefined where the default branch is created by its first commit. */
async function findBranchCommit(
  git: GitRepository,
  { defaultBranch }: Repository,
  branch: string,
): Promise<GitCommit | undefined> {
  const oid = isBranchName(branch) ? await git.readRef(`refs/heads/${branch}`) : undefined;
  if (oid !== undefined) return await git.readCommit(oid);
  if (branch === defaultBranch) return undefined;
  throw new Failure('not-found', `Branch ${branch} not found`, { code: 'no-branch' });
}

/** Returns whether there is no such file yet. */
async function checkSha(
  git: GitRepository,
  parent: GitCommit | undefined,
  { path, sha, content }: SentChange,
): Promise<boolean> {
  const current = parent && (await git.findEntry(parent.oid, path));
  const isRemoval = content === undefined;
  if (current?.kind === 'tree' || current?.kind === 'commit')
    throw new Failure('invalid', `${path} is not a file`);
  if (current === undefined && isRemoval) throw contentNotFound();
  if (current !== undefined && sha === undefined)
    throw new Failure('invalid', 'Invalid request.\n\n"sha" wasn\'t supplied.');
  if (sha !== undefined && current?.oid !== sha)
    throw new Failure('conflict', `${path} does not match ${sha}`);
  return current === undefined;
}

const REMOVAL = {
  message: Type.String({ minLength: 1, description: 'Of the commit' }),
  sha: Type.Optional(Type.String({ description: 'The id of the content that is replaced or removed' })),
  branch: Type.Optional(Type.String({ description: 'The default branch when not given' })),
  author: Type.Optional(SentPerson),
  committer: Type.Optional(SentPerson),
};

const FileRemoval = Type.Object(REMOVAL);

const FileWrite = Type.Object({
  ...REMOVAL,
  content: Type.String({ description: 'In base64' }),
});

const FileCommit = Type.Object(
  { content: Nullable(FileInCommit), commit: GitCommitReply },
  { $id: 'file-commit' },
);

function toFileCommit(
  found: FoundRepository & { base: string },
  commit: GitCommit,
  content: ContentEntryRep | null,
): Static<typeof FileCommit> {
  const { number } = found.repository;
  return { content, commit: toGitCommit(commit, number, gitUrlsOf(found, found.base)) };
}

/** The committer is the caller unless another is sent, and the author is the committer. */
function personsOf(
  sent: Pick<Static<typeof FileWrite>, 'author' | 'committer'>,
  actor: { caller: KnownCaller; now: number },
): { author: GitPerson; committer: GitPerson } {
  const committer = personIn(sent.committer, 'committer', actor);
  return {
    committer,
    author: sent.author === undefined ? committer : personIn(sent.author, 'author', actor),
  };
}

function decodeContent(text: string): Buffer {
  const bytes = decodeLines(text);
  if (bytes === undefined) throw new Failure('invalid', 'content is not valid Base64');
  return bytes;
}

const AtPath = Type.Object({ ...RepositoryParams, path: Type.String() });

const putContent = repositoryRoute(
  {
    id: 'repos/create-or-update-file-contents',
    method: 'PUT',
    path: '/repos/{owner}/{repo}/contents/{path...}',
    summary: 'Create or replace a file',
    description:
      'Makes one commit. To replace a file its `sha` is needed; where the file has changed meanwhile, the answer is 409, and ' +
      'nothing is written. Other changes of the branch do not matter. A file may have 100 MB; above 7 MB, send a body with its length.',
    access: PUSH_REPOSITORY,
    params: AtPath,
    body: FileWrite,
    largeField: LARGE_CONTENT,
    reply: { 200: FileCommit, 201: FileCommit },
    isData: true,
  },
  'write',
  async (call, kernel, found) => {
    const { params, body, base, now } = call;
    const content = (call.received as StoredFile | undefined) ?? decodeContent(body.content);
    const written = await writeFile(kernel, call, found, { ...body, path: params.path, content });
    const { commit, blobs, branch, isNew } = written;
    const { secrets } = kernel;
    const holder = downloadHolder(call.caller);
    const place = { ...found, commit: commit.oid, ref: branch, base, secrets, holder, now };
    const file = fileEntry(
      { place },
      params.path,
      blobs.get(params.path)!,
      'oid' in content ? content.size : content.length,
    );
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
