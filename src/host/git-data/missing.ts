// The errors for objects, references and branches that are not there.
import { Failure } from '../../kernel/failure.ts';
import { emptyRepository } from '../commits/find-commit.ts';
import type { GitRepository } from '../git/repository.ts';

/** Clients know a repository without commits by this error. */
export async function missingFrom(git: GitRepository, message: string): Promise<Failure> {
  return (await isEmpty(git)) ? emptyRepository() : new Failure('not-found', message);
}

/** Lists of an empty repository are that error, too. */
export async function checkNotEmpty(git: GitRepository): Promise<void> {
  if (await isEmpty(git)) throw emptyRepository();
}

async function isEmpty(git: GitRepository): Promise<boolean> {
  return (await git.listRefs({ prefix: 'refs/heads/', limit: 1 })).length === 0;
}

/** The error for a branch that does not exist. */
export function branchNotFound(): Failure {
  return new Failure('not-found', 'Branch not found', { code: 'branch' });
}
