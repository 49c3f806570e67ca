// Commits and changed files as replies show them.
import { Nullable, OneOf, Type, type Static } from '../../kernel/schema/schema.ts';
import type { GitCommit, GitPerson } from '../git/objects/commit-object.ts';
import type { DiffFile } from '../git/history/diff-files.ts';
import { nodeId } from '../node-id.ts';
import { SimpleUser, toSimpleUser, type RepositoryOwner } from '../owners/model.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { isoSeconds } from '../times.ts';
import { siteOf } from '../site.ts';

export const CommitPerson = Type.Object({
  name: Type.String(),
  email: Type.String(),
  date: Type.String({ format: 'date-time' }),
});

export const CommitVerification = Type.Object(
  {
    verified: Type.Boolean(),
    reason: OneOf(['unsigned', 'unknown_key']),
    signature: Nullable(Type.String()),
    payload: Nullable(Type.String()),
    verified_at: Nullable(Type.String({ format: 'date-time' })),
  },
  { $id: 'verification' },
);

export const DiffEntry = Type.Object(
  {
    sha: Nullable(Type.String()),
    filename: Type.String(),
    status: OneOf(['added', 'removed', 'modified', 'renamed', 'copied', 'changed', 'unchanged']),
    additions: Type.Integer(),
    deletions: Type.Integer(),
    changes: Type.Integer(),
    blob_url: Type.String(),
    raw_url: Type.String(),
    contents_url: Type.String(),
    patch: Type.Optional(Type.String({ description: 'Absent for binary and very large changes' })),
    previous_filename: Type.Optional(Type.String()),
  },
  { $id: 'diff-entry' },
);

export const CommitReply = Type.Object(
  {
    url: Type.String(),
    sha: Type.String(),
    node_id: Type.String(),
    html_url: Type.String(),
    comments_url: Type.String(),
    commit: Type.Object({
      url: Type.String(),
      author: Nullable(CommitPerson),
      committer: Nullable(CommitPerson),
      message: Type.String(),
      comment_count: Type.Integer(),
      tree: Type.Object({ sha: Type.String(), url: Type.String() }),
      verification: CommitVerification,
    }),
    author: Nullable(SimpleUser),
    committer: Nullable(SimpleUser),
    parents: Type.Array(Type.Object({ sha: Type.String(), url: Type.String(), html_url: Type.String() })),
    stats: Type.Optional(
      Type.Object({ additions: Type.Integer(), deletions: Type.Integer(), total: Type.Integer() }),
    ),
    files: Type.Optional(Type.Array(DiffEntry)),
  },
  { $id: 'commit' },
);

export const CommitComparison = Type.Object(
  {
    url: Type.String(),
    html_url: Type.String(),
    permalink_url: Type.String(),
    diff_url: Type.String(),
    patch_url: Type.String(),
    base_commit: CommitReply,
    merge_base_commit: CommitReply,
    status: OneOf(['diverged', 'ahead', 'behind', 'identical']),
    ahead_by: Type.Integer(),
    behind_by: Type.Integer(),
    total_commits: Type.Integer(),
    commits: Type.Array(CommitReply),
    files: Type.Optional(Type.Array(DiffEntry, { description: 'On the first page only' })),
  },
  { $id: 'commit-comparison' },
);

/** The users behind the addresses in commits. */
export type Authors = ReadonlyMap<string, RepositoryOwner>;

export function toCommit(
  commit: GitCommit,
  authors: Authors,
  { repository, owner }: FoundRepository,
  base: string,
): Static<typeof CommitReply> {
  const { oid, tree, parents, message } = commit;
  const fullName = `${owner.login}/${repository.name}`;
  const api = `${base}/repos/${fullName}`;
  const page = `${siteOf(base)}/${fullName}`;
  const user = ({ email }: GitPerson) => {
    const found = authors.get(email);
    return found === undefined ? null : toSimpleUser(found, base);
  };
  return {
    url: `${api}/commits/${oid}`,
    sha: oid,
    node_id: nodeId('Commit', `${repository.number}:${oid}`),
    html_url: `${page}/commit/${oid}`,
    comments_url: `${api}/commits/${oid}/comments`,
    commit: {
      url: `${api}/git/commits/${oid}`,
      author: toCommitPerson(commit.author),
      committer: toCommitPerson(commit.committer),
      message: message.replace(/\n+$/, ''),
      comment_count: 0,
      tree: { sha: tree, url: `${api}/git/trees/${tree}` },
      verification: verificationOf(commit),
    },
    author: user(commit.author),
    committer: user(commit.committer),
    parents: parents.map((sha) => ({
      sha,
      url: `${api}/commits/${sha}`,
      html_url: `${page}/commit/${sha}`,
    })),
  };
}

export function toCommitPerson({ name, email, time }: GitPerson): Static<typeof CommitPerson> {
  return { name, email, date: isoSeconds(time) };
}

/** No key of a signature is known to this server. */
export function verificationOf({ signed }: Pick<GitCommit, 'signed'>): Static<typeof CommitVerification> {
  return {
    verified: false,
    reason: signed === undefined ? 'unsigned' : 'unknown_key',
    signature: signed?.signature ?? null,
    payload: signed?.payload ?? null,
    verified_at: null,
  };
}

/** What was removed is found in the commit before. */
export interface DiffedCommits {
  from: string | undefined;
  to: string;
}

export function toDiffEntry(
  file: DiffFile,
  { from, to }: DiffedCommits,
  { repository, owner }: FoundRepository,
  base: string,
): Static<typeof DiffEntry> {
  const { filename, previousFilename, status, additions, deletions, changes, patch } = file;
  const fullName = `${owner.login}/${repository.name}`;
  const commit = status === 'removed' ? (from ?? to) : to;
  const path = filename.split('/').map(encodeURIComponent).join('/');
  const page = `${siteOf(base)}/${fullName}`;
  return {
    sha: file.oid ?? file.oldOid ?? null,
    filename,
    status,
    additions,
    deletions,
    changes,
    blob_url: `${page}/blob/${commit}/${path}`,
    raw_url: `${siteOf(base)}/raw/${fullName}/${commit}/${path}`,
    contents_url: `${base}/repos/${fullName}/contents/${path}?ref=${commit}`,
    ...(patch !== undefined && { patch }),
    ...(previousFilename !== undefined && { previous_filename: previousFilename }),
  };
}
