// Gists as replies show them.
import { Nullable, PlainText, Type, type Static } from '../../kernel/schema/schema.ts';
import { nodeId } from '../node-id.ts';
import { SimpleUser, toSimpleUser, type RepositoryOwner } from '../owners/model.ts';
import { isoSeconds } from '../times.ts';
import { PublicUser } from '../users/model.ts';
import { gistLanguageOf, gistTypeOf } from './file-types.ts';
import { MAX_DESCRIPTION, MAX_GIST_FILES, type Gist, type GistFile, type GistRevision } from './gist.ts';
import { siteOf } from '../site.ts';

const FILE = {
  filename: Type.String(),
  type: Type.String(),
  language: Type.Optional(Type.String({ description: 'Absent where the name says nothing' })),
  raw_url: Type.String(),
  size: Type.Integer(),
};

const ShownFile = Type.Object(FILE);

const FileWithContent = Type.Object({
  ...FILE,
  truncated: Type.Optional(Type.Boolean({ description: 'Whether `content` is cut: all is at `raw_url`' })),
  content: Type.Optional(Type.String({ description: 'Absent in lists' })),
  encoding: Type.Optional(Type.String({ description: '`utf-8`, or `base64` for a binary file' })),
});

const GIST = {
  id: Type.String(),
  node_id: Type.String(),
  url: Type.String(),
  forks_url: Type.String(),
  commits_url: Type.String(),
  comments_url: Type.String(),
  git_pull_url: Type.String(),
  git_push_url: Type.String(),
  html_url: Type.String(),
  public: Type.Boolean(),
  description: Nullable(Type.String()),
  comments: Type.Integer(),
  comments_enabled: Type.Boolean(),
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
  owner: SimpleUser,
  truncated: Type.Boolean({ description: `Whether it has more than ${MAX_GIST_FILES} files` }),
};

/** As lists show it, without the contents of its files. */
export const BaseGist = Type.Object(
  { ...GIST, files: Type.Record(Type.String(), ShownFile) },
  { $id: 'base-gist' },
);

/** The gist that another was forked from. */
const ParentGist = Type.Object(
  { ...GIST, files: Type.Record(Type.String(), ShownFile), user: Nullable(SimpleUser) },
  { $id: 'parent-gist' },
);

export const GistSimple = Type.Object(
  {
    ...GIST,
    files: Type.Record(Type.String(), FileWithContent),
    fork_of: Type.Optional(Nullable(ParentGist)),
  },
  { $id: 'gist-simple' },
);

export const GistCommit = Type.Object(
  {
    url: Type.String(),
    version: Type.String(),
    user: Nullable(SimpleUser),
    change_status: Type.Object({
      total: Type.Integer(),
      additions: Type.Integer(),
      deletions: Type.Integer(),
    }),
    committed_at: Type.String({ format: 'date-time' }),
  },
  { $id: 'gist-commit' },
);

const FORK = { id: Type.String(), url: Type.String(), created_at: Type.String(), updated_at: Type.String() };

/** A fork in the replies of version 2022-11-28: lists have the short form of its owner. */
export const GistForkInList = Type.Object({ ...FORK, user: SimpleUser }, { $id: 'gist-fork-in-list' });
export const GistFork = Type.Object({ ...FORK, user: PublicUser }, { $id: 'gist-fork' });

/**
 * The version 2022-11-28 shows revisions and forks in every gist, the newest does not. They travel under this symbol, on
 * replies to callers of the older version: JSON has no symbols, so that no other caller sees them.
 */
export const GIST_PAST = Symbol('history and forks');

export interface GistPast {
  history: Static<typeof GistCommit>[];
  forks: unknown[];
}

export interface WithGistPast {
  [GIST_PAST]?: GistPast;
}

const Description = Type.Optional(Nullable(PlainText({ maxLength: MAX_DESCRIPTION })));

export const GistCreation = Type.Object(
  {
    description: Description,
    public: Type.Optional(
      Type.Unsafe<boolean | 'true' | 'false'>({
        anyOf: [{ type: 'boolean' }, { type: 'string', enum: ['true', 'false'] }],
        description: 'Whether everybody finds it; otherwise those who know its id. Secret when not given',
      }),
    ),
    files: Type.Record(Type.String(), Type.Object({ content: Type.String() }), {
      description: 'By name. A file without a name gets one',
    }),
  },
  { $id: 'gist-creation' },
);

export const GistPatch = Type.Object(
  {
    description: Description,
    files: Type.Optional(
      Type.Record(
        Type.String(),
        Nullable(
          Type.Object({
            content: Type.Optional(Type.String()),
            filename: Type.Optional(Nullable(Type.String({ description: 'Its new name' }))),
          }),
        ),
        { description: 'By the names that they have. Null removes a file, and so does an empty object' },
      ),
    ),
  },
  { $id: 'gist-patch' },
);

/** Without its files. */
function toGist({ gist, owner }: { gist: Gist; owner: RepositoryOwner }, base: string) {
  const { id, number, description, isPublic, commentCount, files, createdAt, updatedAt } = gist;
  const url = gistUrl(id, base);
  const site = siteOf(base);
  const gitUrl = `${site}/gist/${id}.git`;
  return {
    id,
    node_id: nodeId('Gist', number),
    url,
    forks_url: `${url}/forks`,
    commits_url: `${url}/commits`,
    comments_url: `${url}/comments`,
    git_pull_url: gitUrl,
    git_push_url: gitUrl,
    html_url: `${site}/gist/${id}`,
    public: isPublic,
    description,
    comments: commentCount,
    comments_enabled: true,
    created_at: isoSeconds(createdAt),
    updated_at: isoSeconds(updatedAt),
    owner: toSimpleUser(owner, base),
    truncated: files.length > MAX_GIST_FILES,
  };
}

export function toBaseGist(
  found: { gist: Gist; owner: RepositoryOwner },
  base: string,
): Static<typeof BaseGist> & WithGistPast {
  const { id, files } = found.gist;
  const shown = files.slice(0, MAX_GIST_FILES).map((file) => [file.name, toFile(file, id, base)] as const);
  return { ...toGist(found, base), files: Object.fromEntries(shown) };
}

export interface FileContent {
  content: string;
  encoding: 'utf-8' | 'base64';
  truncated: boolean;
}

/** `contents` are in the order of the files; absent in lists. */
export function toGistSimple(
  found: { gist: Gist; owner: RepositoryOwner },
  { files, contents }: { files: readonly GistFile[]; contents: readonly FileContent[] | undefined },
  parent: { gist: Gist; owner: RepositoryOwner } | undefined,
  base: string,
): Static<typeof GistSimple> & WithGistPast {
  const shown = files.slice(0, MAX_GIST_FILES).map((file, index) => {
    const content = contents?.[index];
    return [file.name, { ...toFile(file, found.gist.id, base), ...content }] as const;
  });
  return {
    ...toGist({ ...found, gist: { ...found.gist, files } }, base),
    files: Object.fromEntries(shown),
    ...(parent && { fork_of: { ...toBaseGist(parent, base), user: null } }),
  };
}

function toFile({ name, size, oid }: GistFile, id: string, base: string): Static<typeof ShownFile> {
  const language = gistLanguageOf(name);
  return {
    filename: name,
    type: gistTypeOf(name),
    ...(language !== undefined && { language }),
    raw_url: `${siteOf(base)}/gist/${id}/raw/${oid}/${encodeURIComponent(name)}`,
    size,
  };
}

export function toGistCommit(
  { sha, committedAt, additions, deletions }: GistRevision,
  id: string,
  user: RepositoryOwner | undefined,
  base: string,
): Static<typeof GistCommit> {
  return {
    user: user === undefined ? null : toSimpleUser(user, base),
    version: sha,
    committed_at: isoSeconds(committedAt),
    change_status: { total: additions + deletions, additions, deletions },
    url: `${gistUrl(id, base)}/${sha}`,
  };
}

export function toGistFork<User>({ id, createdAt, updatedAt }: Gist, user: User, base: string) {
  const url = gistUrl(id, base);
  return { id, url, user, created_at: isoSeconds(createdAt), updated_at: isoSeconds(updatedAt) };
}

export function gistUrl(id: string, base: string): string {
  return `${base}/gists/${id}`;
}
