// Protected branches as replies show them.
import { Nullable, Type, type Static } from '../../kernel/schema/schema.ts';
import type { Account } from '../../kernel/identity/store-accounts.ts';
import { nodeId } from '../node-id.ts';
import { ownerOfAccount, SimpleUser, toSimpleUser } from '../owners/model.ts';
import { ListedTeam } from '../teams/model.ts';
import { isoSeconds } from '../times.ts';
import type { BranchRule, RequiredCheck } from './rule.ts';

const Enabled = Type.Object({ enabled: Type.Boolean() });

export const AdminEnforced = Type.Object(
  { url: Type.String(), enabled: Type.Boolean() },
  { $id: 'protected-branch-admin-enforced' },
);

/** An app, or a service token in the words for apps. */
export const AppReply = Type.Object(
  {
    id: Type.Integer(),
    slug: Type.String(),
    node_id: Type.String(),
    owner: SimpleUser,
    name: Type.String(),
    description: Type.String(),
    external_url: Type.String(),
    html_url: Type.String(),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
    permissions: Type.Record(Type.String(), Type.String()),
    events: Type.Array(Type.String()),
  },
  { $id: 'protected-branch-app' },
);

const ACTORS = {
  users: Type.Array(SimpleUser),
  teams: Type.Array(ListedTeam),
  apps: Type.Array(AppReply),
};

export const ShownActorLists = Type.Object(ACTORS);
export type ShownActors = Static<typeof ShownActorLists>;

export const StatusCheckPolicy = Type.Object(
  {
    url: Type.String(),
    strict: Type.Boolean(),
    contexts: Type.Array(Type.String()),
    contexts_url: Type.String(),
    checks: Type.Array(Type.Object({ context: Type.String(), app_id: Nullable(Type.Integer()) })),
  },
  { $id: 'status-check-policy' },
);

export const ReviewPolicy = Type.Object(
  {
    url: Type.String(),
    dismissal_restrictions: Type.Optional(
      Type.Object({ url: Type.String(), users_url: Type.String(), teams_url: Type.String(), ...ACTORS }),
    ),
    bypass_pull_request_allowances: Type.Optional(Type.Object(ACTORS)),
    dismiss_stale_reviews: Type.Boolean(),
    require_code_owner_reviews: Type.Boolean(),
    required_approving_review_count: Type.Integer(),
    require_last_push_approval: Type.Boolean(),
  },
  { $id: 'protected-branch-pull-request-review' },
);

export const RestrictionPolicy = Type.Object(
  {
    url: Type.String(),
    users_url: Type.String(),
    teams_url: Type.String(),
    apps_url: Type.String(),
    ...ACTORS,
  },
  { $id: 'branch-restriction-policy' },
);

export const ProtectionReply = Type.Object(
  {
    url: Type.String(),
    required_status_checks: Type.Optional(StatusCheckPolicy),
    required_pull_request_reviews: Type.Optional(ReviewPolicy),
    restrictions: Type.Optional(RestrictionPolicy),
    required_signatures: AdminEnforced,
    enforce_admins: AdminEnforced,
    required_linear_history: Enabled,
    allow_force_pushes: Enabled,
    allow_deletions: Enabled,
    block_creations: Enabled,
    required_conversation_resolution: Enabled,
    lock_branch: Enabled,
    allow_fork_syncing: Enabled,
  },
  { $id: 'branch-protection' },
);

/** `url` is that of the branch's protection. */
export function toProtection(
  rule: BranchRule,
  actors: Record<'push' | 'dismiss' | 'bypass', ShownActors>,
  url: string,
): Static<typeof ProtectionReply> {
  return {
    url,
    ...(rule.statusChecks && { required_status_checks: toStatusCheckPolicy(rule, url) }),
    ...(rule.reviews && { required_pull_request_reviews: toReviewPolicy(rule, actors, url) }),
    ...(rule.isRestricted && { restrictions: toRestrictionPolicy(actors.push, url) }),
    required_signatures: toSignatures(rule, url),
    enforce_admins: toAdminEnforced(rule, url),
    required_linear_history: { enabled: rule.requiredLinearHistory },
    allow_force_pushes: { enabled: rule.allowForcePushes },
    allow_deletions: { enabled: rule.allowDeletions },
    block_creations: { enabled: rule.blockCreations },
    required_conversation_resolution: { enabled: rule.requiredConversationResolution },
    lock_branch: { enabled: rule.lockBranch },
    allow_fork_syncing: { enabled: rule.allowForkSyncing },
  };
}

export function toAdminEnforced({ enforceAdmins }: BranchRule, url: string): Static<typeof AdminEnforced> {
  return { url: `${url}/enforce_admins`, enabled: enforceAdmins };
}

export function toSignatures({ requiredSignatures }: BranchRule, url: string): Static<typeof AdminEnforced> {
  return { url: `${url}/required_signatures`, enabled: requiredSignatures };
}

export function toStatusCheckPolicy(
  { statusChecks }: BranchRule,
  protectionUrl: string,
): Static<typeof StatusCheckPolicy> {
  const url = `${protectionUrl}/required_status_checks`;
  const checks = statusChecks?.checks ?? [];
  return {
    url,
    strict: statusChecks?.strict ?? false,
    contexts: contextsOf(checks),
    contexts_url: `${url}/contexts`,
    checks: checks.map(({ context, appId }) => ({ context, app_id: appId })),
  };
}

export function contextsOf(checks: readonly RequiredCheck[]): string[] {
  return checks.map(({ context }) => context);
}

export function toReviewPolicy(
  { reviews }: BranchRule,
  { dismiss, bypass }: Record<'dismiss' | 'bypass', ShownActors>,
  protectionUrl: string,
): Static<typeof ReviewPolicy> {
  const restrictions = `${protectionUrl}/dismissal_restrictions`;
  return {
    url: `${protectionUrl}/required_pull_request_reviews`,
    dismiss_stale_reviews: reviews?.dismissStaleReviews ?? false,
    require_code_owner_reviews: reviews?.requireCodeOwnerReviews ?? false,
    require_last_push_approval: reviews?.requireLastPushApproval ?? false,
    required_approving_review_count: reviews?.requiredApprovingReviewCount ?? 0,
    ...(reviews?.restrictsDismissals && {
      dismissal_restrictions: {
        url: restrictions,
        users_url: `${restrictions}/users`,
        teams_url: `${restrictions}/teams`,
        ...dismiss,
      },
    }),
    ...(reviews?.allowsBypass && { bypass_pull_request_allowances: bypass }),
  };
}

export function toRestrictionPolicy(
  actors: ShownActors,
  protectionUrl: string,
): Static<typeof RestrictionPolicy> {
  const url = `${protectionUrl}/restrictions`;
  return { url, users_url: `${url}/users`, teams_url: `${url}/teams`, apps_url: `${url}/apps`, ...actors };
}

const BOT = '.bot';
const APP_BOT = '[bot]';

/** An app's slug is the login of its service token without the ending. */
/** The logins that a slug may mean, in the order in which they are tried: of the bot of an app, and of a service token. */
export function loginsOfApp(slug: string): string[] {
  return [...(slug.endsWith(BOT) ? [] : [slug + APP_BOT]), slug.endsWith(BOT) ? slug : slug + BOT];
}

export function slugOfApp(login: string): string {
  for (const suffix of [BOT, APP_BOT]) if (login.endsWith(suffix)) return login.slice(0, -suffix.length);
  return login;
}

/** Whether it is named as an app. */
export function isAppAccount({ isService, isBot }: Account): boolean {
  return isService === true || isBot === true;
}

export function toApp(account: Account, base: string): Static<typeof AppReply> {
  const owner = toSimpleUser(ownerOfAccount(account), base);
  return {
    id: account.number,
    slug: slugOfApp(account.username),
    node_id: nodeId('Bot', account.number),
    owner,
    name: account.firstName ?? account.username,
    description: '',
    external_url: owner.html_url,
    html_url: owner.html_url,
    created_at: isoSeconds(account.createdAt),
    updated_at: isoSeconds(account.updatedAt),
    permissions: { contents: 'write', metadata: 'read' },
    events: [],
  };
}
