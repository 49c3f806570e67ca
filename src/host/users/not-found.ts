// The error for a user that is not there.
import { Failure } from '../../kernel/failure.ts';

export function userNotFound(name: string): Failure {
  return new Failure('not-found', `There is no user ${name}`);
}
