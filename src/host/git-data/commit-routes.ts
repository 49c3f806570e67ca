// Commits as git stores them.
import { reply } from '../../kernel/http/route.ts';
import { PlainText, problem, Type } from '../../kernel/schema/schema.ts';
import { parseCommit } from '../git/objects/commit-object.ts';
import { buildCommit } from '../git/objects/new-object.ts';
import type { GitRepository } from '../git/repository.ts';
import { writeObjects } from '../git/objects/write-objects.ts';
import {
  PUSH_REPOSITORY,
  READ_REPOSITORY,
  repositoryRoute,
  RepositoryParams,
} from '../repositories/access.ts';
import { missingFrom } from '../commits/find-commit.ts';
import { GitCommitReply, toGitCommit, personIn, SentPerson, gitUrlsOf, objectUrl } from './model.ts';

const MAX_PARENTS = 1000;

const CommitCreation = Type.Object({
  message: PlainText(),
  tree: Type.String({ description: 'The id of a tree' }),
  parents: Type.Optional(
    Type.Array(Type.String(), { maxItems: MAX_PARENTS, description: 'The ids of commits' }),
  ),
  author: Type.Optional(SentPerson),
  committer: Type.Optional(SentPerson),
  signature: Type.Optional(PlainText({ description: 'An armored signature of the commit, without it' })),
});

const createCommit = repositoryRoute(
  {
    id: 'git/create-commit',
    method: 'POST',
    path: '/repos/{owner}/{repo}/git/commits',
    summary: 'Create a commit',
    description: 'The author is the caller if absent, and the committer is the author.',
    access: PUSH_REPOSITORY,
    params: Type.Object(RepositoryParams),
    body: CommitCreation,
    reply: { 201: GitCommitReply },
  },
  'write',
  async (call, { services }, found) => {
    const { body, base } = call;
    const { number } = found.repository;
    const git = services.git.repository(number);
    const tree = await checkedId(git, body.tree, 'tree', 'tree');
    const parents: string[] = [];
    for (const [index, parent] of (body.parents ?? []).entries())
      parents.push(await checkedId(git, parent, 'commit', `parents[${index}]`));
    const commit = buildCommit({
      tree,
      parents,
      author: personIn(body.author, 'author', call),
      committer: personIn(body.committer ?? body.author, body.committer ? 'committer' : 'author', call),
      message: body.message,
      ...(body.signature && { signature: body.signature }),
    });
    await writeObjects(git, [commit]);
    const urls = gitUrlsOf(found, base);
    const shown = toGitCommit(parseCommit(commit.oid, commit.bytes), number, urls);
    return reply(201, shown, { location: objectUrl(urls, 'commit', commit.oid) });
  },
);

async function checkedId(git: GitRepository, sha: string, type: string, field: string): Promise<string> {
  const info = await git.readInfo(sha.toLowerCase());
  if (info?.type !== type) throw problem(field, `is not the id of a ${type} of the repository`);
  return info.oid;
}

const getCommit = repositoryRoute(
  {
    id: 'git/get-commit',
    method: 'GET',
    path: '/repos/{owner}/{repo}/git/commits/{commit_sha}',
    summary: 'Get a commit as git stores it',
    access: READ_REPOSITORY,
    params: Type.Object({ ...RepositoryParams, commit_sha: Type.String() }),
    reply: { 200: GitCommitReply },
  },
  'read',
  async ({ params, base }, { services }, found) => {
    const { number } = found.repository;
    const git = services.git.repository(number);
    const commit = await git.readCommit(params.commit_sha.toLowerCase());
    if (commit === undefined) throw await missingFrom(git, 'There is no such commit');
    return toGitCommit(commit, number, gitUrlsOf(found, base));
  },
);

export const gitCommitRoutes = [createCommit, getCommit];
