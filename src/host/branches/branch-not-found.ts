// The error for a branch that does not exist.
import { Failure } from '../../kernel/failure.ts';

export function branchNotFound(): Failure {
  return new Failure('not-found', 'Branch not found', { code: 'branch' });
}
