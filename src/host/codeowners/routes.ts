// What is wrong with the CODEOWNERS file of a repository.
import { Failure } from '../../kernel/failure.ts';
import { Nullable, Type } from '../../kernel/schema/schema.ts';
import { findCommit } from '../commits/find-commit.ts';
import { READ_REPOSITORY, RepositoryParams, repositoryRoute } from '../repositories/access.ts';
import { findCodeownersErrors } from './find-errors.ts';
import { MAX_CODEOWNERS_ERRORS } from './parse.ts';
import { findCodeowners } from './read-codeowners.ts';

const CodeownersErrors = Type.Object(
  {
    errors: Type.Array(
      Type.Object({
        line: Type.Integer(),
        column: Type.Integer(),
        kind: Type.String(),
        source: Type.String(),
        suggestion: Nullable(Type.String()),
        message: Type.String({ description: 'Several lines, with a mark below the place' }),
        path: Type.String(),
      }),
      { description: `The first ${MAX_CODEOWNERS_ERRORS}` },
    ),
  },
  { $id: 'codeowners-errors' },
);

const TOO_LARGE = {
  line: 1,
  column: 1,
  kind: 'File too large',
  source: '',
  suggestion: 'Make it smaller than 3 MB.',
  message: 'The file has more than 3 MB, and no effect.',
};

const listErrors = repositoryRoute(
  {
    id: 'repos/codeowners-errors',
    method: 'GET',
    path: '/repos/{owner}/{repo}/codeowners/errors',
    summary: 'List what is wrong with CODEOWNERS',
    description:
      'Lines that cannot be read have no effect. Owners have to exist and to have write access; a line without such an owner asks for no review.',
    access: READ_REPOSITORY,
    params: Type.Object(RepositoryParams),
    query: Type.Object({
      ref: Type.Optional(
        Type.String({ description: 'A branch, tag or commit; the default branch if absent' }),
      ),
    }),
    reply: { 200: CodeownersErrors },
  },
  'read',
  async (call, { db, services }, found) => {
    const { number, defaultBranch } = found.repository;
    const git = services.git.repository(number, call.signal);
    const { oid } = await findCommit(git, call.query.ref ?? `refs/heads/${defaultBranch}`);
    const file = await findCodeowners(git, oid);
    if (file === undefined) throw new Failure('not-found', 'The repository has no file CODEOWNERS');
    const errors = file.text === undefined ? [TOO_LARGE] : await findCodeownersErrors(db, found, file.text);
    return { errors: errors.map((error) => ({ ...error, path: file.path })) };
  },
);

export const codeownersRoutes = [listErrors];
