// Branches and tags as replies show them.
import { Type, type Static } from '../../kernel/schema.ts';
import { CommitReply } from '../commits/model.ts';
import type { GitUrls } from '../git-data/urls.ts';
import { nodeId } from '../node-id.ts';

const CommitLink = Type.Object({ sha: Type.String(), url: Type.String() });

export const ShortBranch = Type.Object(
  { name: Type.String(), commit: CommitLink, protected: Type.Boolean() },
  { $id: 'short-branch' },
);

/** No branch is protected. */
export function toShortBranch(name: string, oid: string, { api }: GitUrls): Static<typeof ShortBranch> {
  return { name, commit: { sha: oid, url: `${api}/commits/${oid}` }, protected: false };
}

export const BranchWithProtection = Type.Object(
  {
    name: Type.String(),
    commit: CommitReply,
    _links: Type.Object({ self: Type.String(), html: Type.String() }),
    protected: Type.Boolean(),
    protection: Type.Object({
      enabled: Type.Boolean(),
      required_status_checks: Type.Object({
        enforcement_level: Type.String(),
        contexts: Type.Array(Type.String()),
        checks: Type.Array(Type.Object({ context: Type.String() })),
      }),
    }),
    protection_url: Type.String(),
  },
  { $id: 'branch-with-protection' },
);

export function toBranch(
  name: string,
  commit: Static<typeof CommitReply>,
  { api, page }: GitUrls,
): Static<typeof BranchWithProtection> {
  const self = `${api}/branches/${encodeURIComponent(name)}`;
  return {
    name,
    commit,
    _links: { self, html: `${page}/tree/${name.split('/').map(encodeURIComponent).join('/')}` },
    protected: false,
    protection: {
      enabled: false,
      required_status_checks: { enforcement_level: 'off', contexts: [], checks: [] },
    },
    protection_url: `${self}/protection`,
  };
}

export const TagReply = Type.Object(
  {
    name: Type.String(),
    zipball_url: Type.String(),
    tarball_url: Type.String(),
    commit: CommitLink,
    node_id: Type.String(),
  },
  { $id: 'tag' },
);

export function toTag(name: string, oid: string, number: number, { api }: GitUrls): Static<typeof TagReply> {
  const ref = `refs/tags/${name}`;
  const path = ref.split('/').map(encodeURIComponent).join('/');
  return {
    name,
    zipball_url: `${api}/zipball/${path}`,
    tarball_url: `${api}/tarball/${path}`,
    commit: { sha: oid, url: `${api}/commits/${oid}` },
    node_id: nodeId('Ref', `${number}:${ref}`),
  };
}
