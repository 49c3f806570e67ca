// What a write of a file is sent with, and what it is answered with.
import { Failure } from '../../kernel/failure.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import { Nullable, Type, type Static } from '../../kernel/schema/schema.ts';
import type { GitCommit, GitPerson } from '../git/commit-object.ts';
import { decodeLines } from '../git-data/base64.ts';
import { GitCommitReply, toGitCommit } from '../git-data/model.ts';
import { personIn, SentPerson } from '../git-data/person-in-request.ts';
import { gitUrlsOf } from '../git-data/urls.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { FileInCommit, type ContentEntryRep } from './model.ts';

const REMOVAL = {
  message: Type.String({ minLength: 1, description: 'Of the commit' }),
  sha: Type.Optional(Type.String({ description: 'The id of the content that is replaced or removed' })),
  branch: Type.Optional(Type.String({ description: 'The default branch when not given' })),
  author: Type.Optional(SentPerson),
  committer: Type.Optional(SentPerson),
};

export const FileRemoval = Type.Object(REMOVAL);

export const FileWrite = Type.Object({
  ...REMOVAL,
  content: Type.String({ description: 'In base64' }),
});

export const FileCommit = Type.Object(
  { content: Nullable(FileInCommit), commit: GitCommitReply },
  { $id: 'file-commit' },
);

export function toFileCommit(
  found: FoundRepository & { base: string },
  commit: GitCommit,
  content: ContentEntryRep | null,
): Static<typeof FileCommit> {
  const { number } = found.repository;
  return { content, commit: toGitCommit(commit, number, gitUrlsOf(found, found.base)) };
}

/** The committer is the caller unless another is sent, and the author is the committer. */
export function personsOf(
  sent: Pick<Static<typeof FileWrite>, 'author' | 'committer'>,
  actor: { caller: KnownCaller; now: number },
): { author: GitPerson; committer: GitPerson } {
  const committer = personIn(sent.committer, 'committer', actor);
  return {
    committer,
    author: sent.author === undefined ? committer : personIn(sent.author, 'author', actor),
  };
}

export function decodeContent(text: string): Buffer {
  const bytes = decodeLines(text);
  if (bytes === undefined) throw new Failure('invalid', 'content is not valid Base64');
  return bytes;
}
