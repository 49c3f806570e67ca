// The errors for objects and references that are not there.
import { Failure } from '../../kernel/failure.ts';
import { emptyRepository } from '../commits/find-commit.ts';
import type { GitRepository } from '../git/repository.ts';

/** Clients know a repository without commits by this error. */
export async function missingFrom(git: GitRepository, message: string): Promise<Failure> {
  const [any] = await git.listRefs({ prefix: 'refs/heads/', limit: 1 });
  return any === undefined ? emptyRepository() : new Failure('not-found', message);
}
