// A commit beside what it changed: its title, who wrote it and when.
import type { GitCommit } from '../../host/git/objects/commit-object.ts';
import type { RepositoryOwner } from '../../host/owners/model.ts';
import { Type, type Static } from '../../kernel/schema/schema.ts';

export const CommitSummary = Type.Object(
  {
    sha: Type.String(),
    title: Type.String({ description: 'The first line of its message' }),
    author: Type.Object({
      name: Type.String(),
      login: Type.Optional(
        Type.String({ description: 'Where the address is that of somebody on this server' }),
      ),
    }),
    authoredAt: Type.Integer(),
  },
  { $id: 'CommitSummary' },
);

/** `authors` are accounts by address. */
export function summarizeCommit(
  { oid, message, author }: GitCommit,
  authors: ReadonlyMap<string, RepositoryOwner>,
): Static<typeof CommitSummary> {
  const login = authors.get(author.email)?.login;
  return {
    sha: oid,
    title: message.split('\n', 1)[0]!,
    author: { name: author.name, ...(login !== undefined && { login }) },
    authoredAt: author.time,
  };
}
