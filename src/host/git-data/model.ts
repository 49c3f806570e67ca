// Trees, commits, references and annotated tags as replies show them.
import { OneOf, Type, type Static } from '../../kernel/schema/schema.ts';
import { CommitPerson, CommitVerification, toCommitPerson, verificationOf } from '../commits/model.ts';
import type { GitCommit, GitTag } from '../git/commit-object.ts';
import type { ListedEntry } from '../git/list-tree.ts';
import { nodeId } from '../node-id.ts';
import { objectUrl, refUrl, type GitUrls } from './urls.ts';

export const GitTreeReply = Type.Object(
  {
    sha: Type.String(),
    url: Type.String(),
    tree: Type.Array(
      Type.Object({
        path: Type.String(),
        mode: Type.String(),
        type: OneOf(['blob', 'tree', 'commit']),
        sha: Type.String(),
        size: Type.Optional(Type.Integer()),
        url: Type.Optional(Type.String()),
      }),
    ),
    truncated: Type.Boolean({ description: 'Whether entries are missing, because there are too many' }),
  },
  { $id: 'git-tree' },
);

type TreeReplyEntry = Static<typeof GitTreeReply>['tree'][number];

/** A submodule is a commit of another repository, so it has no address here. */
export function toTreeEntry({ path, mode, type, oid, size }: ListedEntry, urls: GitUrls): TreeReplyEntry {
  return {
    path,
    mode,
    type,
    sha: oid,
    ...(size !== undefined && { size }),
    ...(type !== 'commit' && { url: objectUrl(urls, type, oid) }),
  };
}

export const GitCommitReply = Type.Object(
  {
    sha: Type.String(),
    node_id: Type.String(),
    url: Type.String(),
    html_url: Type.String(),
    author: CommitPerson,
    committer: CommitPerson,
    tree: Type.Object({ sha: Type.String(), url: Type.String() }),
    message: Type.String(),
    parents: Type.Array(Type.Object({ sha: Type.String(), url: Type.String(), html_url: Type.String() })),
    verification: CommitVerification,
  },
  { $id: 'git-commit' },
);

export function toGitCommit(commit: GitCommit, number: number, urls: GitUrls): Static<typeof GitCommitReply> {
  const { oid, tree, parents, message, author, committer } = commit;
  return {
    sha: oid,
    node_id: nodeId('Commit', `${number}:${oid}`),
    url: objectUrl(urls, 'commit', oid),
    html_url: `${urls.page}/commit/${oid}`,
    author: toCommitPerson(author),
    committer: toCommitPerson(committer),
    tree: { sha: tree, url: objectUrl(urls, 'tree', tree) },
    message: withoutLastBreak(message),
    parents: parents.map((sha) => ({
      sha,
      url: objectUrl(urls, 'commit', sha),
      html_url: `${urls.page}/commit/${sha}`,
    })),
    verification: verificationOf(commit),
  };
}

export const GitRefReply = Type.Object(
  {
    ref: Type.String(),
    node_id: Type.String(),
    url: Type.String(),
    object: Type.Object({ type: Type.String(), sha: Type.String(), url: Type.String() }),
  },
  { $id: 'git-ref' },
);

export function toGitRef(
  { name, oid, type }: { name: string; oid: string; type: string },
  number: number,
  urls: GitUrls,
): Static<typeof GitRefReply> {
  return {
    ref: name,
    node_id: nodeId('Ref', `${number}:${name}`),
    url: refUrl(urls, name),
    object: { type, sha: oid, url: objectUrl(urls, type, oid) },
  };
}

export const GitTagReply = Type.Object(
  {
    sha: Type.String(),
    node_id: Type.String(),
    url: Type.String(),
    tag: Type.String(),
    message: Type.String(),
    tagger: CommitPerson,
    object: Type.Object({ type: Type.String(), sha: Type.String(), url: Type.String() }),
    verification: CommitVerification,
  },
  { $id: 'git-tag' },
);

export function toGitTag(tag: GitTag, number: number, urls: GitUrls): Static<typeof GitTagReply> {
  const { oid, name, message, tagger, target, targetType } = tag;
  return {
    sha: oid,
    node_id: nodeId('Tag', `${number}:${oid}`),
    url: objectUrl(urls, 'tag', oid),
    tag: name,
    message: withoutLastBreak(message),
    tagger: toCommitPerson(tagger ?? { name: '', email: '', time: 0, zone: 0 }),
    object: { type: targetType, sha: target, url: objectUrl(urls, targetType, target) },
    verification: verificationOf(tag),
  };
}

/** Git ends messages with a line break, which clients do not expect. */
function withoutLastBreak(message: string): string {
  return message.replace(/\n+$/, '');
}
