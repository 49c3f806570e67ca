// Branches and tags as replies show them.
import { Nullable, Type, type Static } from '../../kernel/schema/schema.ts';
import { CommitReply } from '../commits/model.ts';
import type { GitUrls } from '../git-data/model.ts';
import { nodeId } from '../node-id.ts';
import { enforcementLevel, type BranchRule } from '../protection/rule.ts';

const CommitLink = Type.Object({ sha: Type.String(), url: Type.String() });

/** What everybody sees of the rule of a branch. */
const ProtectionSummary = Type.Object({
  enabled: Type.Boolean(),
  required_status_checks: Type.Object({
    enforcement_level: Type.String(),
    contexts: Type.Array(Type.String()),
    checks: Type.Array(Type.Object({ context: Type.String(), app_id: Nullable(Type.Integer()) })),
  }),
});

export const ShortBranch = Type.Object(
  {
    name: Type.String(),
    commit: CommitLink,
    protected: Type.Boolean(),
    protection: Type.Optional(ProtectionSummary),
    protection_url: Type.Optional(Type.String()),
  },
  { $id: 'short-branch' },
);

/** Without the protection where the branch has no rule. */
export function toShortBranch(
  name: string,
  oid: string,
  rule: BranchRule | undefined,
  urls: GitUrls,
): Static<typeof ShortBranch> {
  return {
    name,
    commit: { sha: oid, url: `${urls.api}/commits/${oid}` },
    protected: rule !== undefined,
    ...(rule && {
      protection: summaryOf(rule),
      protection_url: `${branchUrl(name, urls)}/protection`,
    }),
  };
}

function branchUrl(name: string, { api }: GitUrls): string {
  return `${api}/branches/${encodeURIComponent(name)}`;
}

function summaryOf(rule: BranchRule | undefined): Static<typeof ProtectionSummary> {
  const checks = rule?.statusChecks?.checks ?? [];
  return {
    enabled: rule !== undefined,
    required_status_checks: {
      enforcement_level: rule === undefined ? 'off' : enforcementLevel(rule.statusChecks !== null, rule),
      contexts: checks.map(({ context }) => context),
      checks: checks.map(({ context, appId }) => ({ context, app_id: appId })),
    },
  };
}

export const BranchWithProtection = Type.Object(
  {
    name: Type.String(),
    commit: CommitReply,
    _links: Type.Object({ self: Type.String(), html: Type.String() }),
    protected: Type.Boolean(),
    protection: ProtectionSummary,
    protection_url: Type.String(),
  },
  { $id: 'branch-with-protection' },
);

export function toBranch(
  name: string,
  commit: Static<typeof CommitReply>,
  rule: BranchRule | undefined,
  urls: GitUrls,
): Static<typeof BranchWithProtection> {
  const self = branchUrl(name, urls);
  return {
    name,
    commit,
    _links: { self, html: `${urls.page}/tree/${name.split('/').map(encodeURIComponent).join('/')}` },
    protected: rule !== undefined,
    protection: summaryOf(rule),
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
