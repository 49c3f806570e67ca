// Stars as replies show them: with their times, where the media type asks for them.
import { Type, type Static } from '../../kernel/schema/schema.ts';
import { SimpleUser, toSimpleUser, type RepositoryOwner } from '../owners/model.ts';
import { NestedRepository, toNestedRepository, type ShownRepository } from '../repositories/model.ts';
import { isoSeconds } from '../times.ts';

export const StarredRepository = Type.Object(
  { starred_at: Type.String({ format: 'date-time' }), repo: NestedRepository },
  { $id: 'starred-repository' },
);

export const Stargazer = Type.Object(
  { starred_at: Type.String({ format: 'date-time' }), user: SimpleUser },
  { $id: 'stargazer' },
);

/** The word in `application/vnd.<vendor>.star+json`. */
const STAR = 'star';

export function toStarred(
  { shown, starredAt }: { shown: ShownRepository; starredAt: number },
  base: string,
  mediaParam: string | undefined,
): Static<typeof NestedRepository> | Static<typeof StarredRepository> {
  const repo = toNestedRepository(shown, base);
  return mediaParam === STAR ? { starred_at: isoSeconds(starredAt), repo } : repo;
}

export function toStargazer(
  { owner, starredAt }: { owner: RepositoryOwner; starredAt: number },
  base: string,
  mediaParam: string | undefined,
): Static<typeof SimpleUser> | Static<typeof Stargazer> {
  const user = toSimpleUser(owner, base);
  return mediaParam === STAR ? { starred_at: isoSeconds(starredAt), user } : user;
}
