// What a write of a file is sent with, and what it is answered with.
import { Failure } from '../../kernel/failure.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import { Nullable, Type, type Static } from '../../kernel/schema.ts';
import type { GitCommit, GitPerson } from '../git/commit-object.ts';
import { decodeLines } from '../git-data/base64.ts';
import { personIn, SentPerson } from '../git-data/person-in-request.ts';
import { nodeId } from '../node-id.ts';
import { isoSeconds } from '../times.ts';
import type { ContentPlace } from './content-urls.ts';
import { ContentEntry, type ContentEntryRep } from './model.ts';

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

const CommitPerson = Type.Object({ name: Type.String(), email: Type.String(), date: Type.String() });

export const FileCommit = Type.Object(
  {
    content: Nullable(ContentEntry),
    commit: Type.Object({
      sha: Type.String(),
      node_id: Type.String(),
      url: Type.String(),
      html_url: Type.String(),
      author: CommitPerson,
      committer: CommitPerson,
      message: Type.String(),
      tree: Type.Object({ sha: Type.String(), url: Type.String() }),
      parents: Type.Array(Type.Object({ sha: Type.String(), url: Type.String(), html_url: Type.String() })),
      verification: Type.Object({
        verified: Type.Boolean(),
        reason: Type.String(),
        signature: Nullable(Type.String()),
        payload: Nullable(Type.String()),
        verified_at: Nullable(Type.String()),
      }),
    }),
  },
  { $id: 'file-commit' },
);

export function toFileCommit(
  { base, owner, repository }: ContentPlace,
  commit: GitCommit,
  content: ContentEntryRep | null,
): Static<typeof FileCommit> {
  const fullName = `${owner.login}/${repository.name}`;
  const git = `${base}/repos/${fullName}/git`;
  const page = `${new URL(base).origin}/${fullName}/commit`;
  return {
    content,
    commit: {
      sha: commit.oid,
      node_id: nodeId('Commit', `${repository.number}:${commit.oid}`),
      url: `${git}/commits/${commit.oid}`,
      html_url: `${page}/${commit.oid}`,
      author: toPersonRep(commit.author),
      committer: toPersonRep(commit.committer),
      message: commit.message,
      tree: { sha: commit.tree, url: `${git}/trees/${commit.tree}` },
      parents: commit.parents.map((sha) => ({
        sha,
        url: `${git}/commits/${sha}`,
        html_url: `${page}/${sha}`,
      })),
      // The server signs no commits.
      verification: {
        verified: false,
        reason: 'unsigned',
        signature: null,
        payload: null,
        verified_at: null,
      },
    },
  };
}

function toPersonRep({ name, email, time }: GitPerson) {
  return { name, email, date: isoSeconds(time) };
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
