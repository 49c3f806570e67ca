// Refuses programs where a route has no permission that their tokens could lack.
import { Failure } from '../../kernel/failure.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';

/** For what is about the account itself: code of other people may run in it. */
export function refusePrograms({ program }: KnownCaller): void {
  if (program !== undefined) throw new Failure('denied', 'The token of a run may not do this.');
}
