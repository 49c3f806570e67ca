// What requests about protected branches send.
import { Failure } from '../../kernel/failure.ts';
import { Nullable, PlainText, problem, Type, type Static } from '../../kernel/schema/schema.ts';
import { DEFAULT_REVIEWS, type RequiredCheck, type ReviewRule } from './rule.ts';

/** How many of one kind a request may name, and how many of all kinds a rule may name for one purpose. */
const MAX_NAMED = 100;
const MAX_CHECKS = 100;
const MAX_APP_NUMBER = 2 ** 31 - 1;

const Names = (description: string) =>
  Type.Array(PlainText({ maxLength: 255 }), { maxItems: MAX_NAMED, description });
const Users = Names('Logins of users');
const Teams = Names('Slugs of teams');
const Apps = Names('Slugs of apps, or of service tokens: the part of the login before `.bot`');

const Contexts = Type.Array(PlainText({ minLength: 1, maxLength: 255 }), { maxItems: MAX_CHECKS });

const Checks = Type.Array(
  Type.Object({
    context: PlainText({ minLength: 1, maxLength: 255 }),
    app_id: Type.Optional(
      Nullable(
        Type.Integer({
          minimum: -1,
          maximum: MAX_APP_NUMBER,
          description: 'The app that must report it; -1 or none for anyone',
        }),
      ),
    ),
  }),
  { maxItems: MAX_CHECKS },
);

export const NamedList = Type.Object({
  users: Type.Optional(Users),
  teams: Type.Optional(Teams),
  apps: Type.Optional(Apps),
});

export type SentNames = Static<typeof NamedList>;

const Bool = () => Type.Optional(Type.Boolean());
const NullableBool = (description: string) => Type.Optional(Nullable(Type.Boolean({ description })));

const REVIEWS = {
  dismissal_restrictions: Type.Optional(NamedList),
  dismiss_stale_reviews: Bool(),
  require_code_owner_reviews: Bool(),
  required_approving_review_count: Type.Optional(Type.Integer({ minimum: 0, maximum: 6 })),
  require_last_push_approval: Bool(),
  bypass_pull_request_allowances: Type.Optional(NamedList),
};

export const ReviewUpdate = Type.Object(REVIEWS, { $id: 'pull-request-review-protection-update' });

export const StatusCheckUpdate = Type.Object(
  { strict: Bool(), contexts: Type.Optional(Contexts), checks: Type.Optional(Checks) },
  { $id: 'status-check-protection-update' },
);

export const ProtectionUpdate = Type.Object(
  {
    required_status_checks: Nullable(
      Type.Object({
        strict: Type.Boolean({ description: 'Whether pull requests must be up to date with the branch' }),
        contexts: Type.Optional(Contexts),
        checks: Type.Optional(Checks),
      }),
    ),
    enforce_admins: Nullable(Type.Boolean({ description: 'Whether the rule applies to administrators too' })),
    required_pull_request_reviews: Nullable(Type.Object(REVIEWS)),
    restrictions: Nullable(
      Type.Object(
        { users: Users, teams: Teams, apps: Type.Optional(Apps) },
        {
          description: 'Who may push; null for everybody with write access',
        },
      ),
    ),
    required_linear_history: NullableBool('Whether merge commits are refused'),
    allow_force_pushes: NullableBool('Whether commits of the branch may be lost'),
    allow_deletions: NullableBool('Whether the branch may be deleted'),
    block_creations: NullableBool('Whether the restrictions apply to the creation of the branch too'),
    required_conversation_resolution: NullableBool('Has no effect without pull requests'),
    lock_branch: NullableBool('Whether the branch is read-only'),
    allow_fork_syncing: NullableBool('Has no effect without pull requests'),
  },
  { $id: 'branch-protection-update' },
);

/** An object with the list, or just the list. */
export const ContextList = Type.Union([Type.Object({ contexts: Contexts }), Contexts]);
export const UserList = Type.Union([Type.Object({ users: Users }), Users]);
export const TeamList = Type.Union([Type.Object({ teams: Teams }), Teams]);
export const AppList = Type.Union([Type.Object({ apps: Apps }), Apps]);

/** Without duplicates; undefined where the request names none. An app that is required for a context goes first. */
export function sentChecks({
  contexts,
  checks,
}: Pick<Static<typeof StatusCheckUpdate>, 'contexts' | 'checks'>): RequiredCheck[] | undefined {
  if (contexts === undefined && checks === undefined) return undefined;
  const all = [
    ...(checks ?? []).map(({ context, app_id: app }) => ({
      context,
      appId: app === -1 ? null : (app ?? null),
    })),
    ...(contexts ?? []).map((context) => ({ context, appId: null })),
  ];
  const byContext = new Map<string, RequiredCheck>();
  for (const check of all) if (!byContext.has(check.context)) byContext.set(check.context, check);
  return checkCount([...byContext.values()]);
}

export function checkCount(checks: RequiredCheck[]): RequiredCheck[] {
  if (checks.length <= MAX_CHECKS) return checks;
  throw new Failure('invalid', `A branch has at most ${MAX_CHECKS} required status checks`);
}

/** Fields that are absent stay. */
export function reviewsAfter(before: ReviewRule | null, sent: Static<typeof ReviewUpdate>): ReviewRule {
  const known = before ?? DEFAULT_REVIEWS;
  const { dismissal_restrictions: dismissal, bypass_pull_request_allowances: bypass } = sent;
  return {
    dismissStaleReviews: sent.dismiss_stale_reviews ?? known.dismissStaleReviews,
    requireCodeOwnerReviews: sent.require_code_owner_reviews ?? known.requireCodeOwnerReviews,
    requiredApprovingReviewCount: sent.required_approving_review_count ?? known.requiredApprovingReviewCount,
    requireLastPushApproval: sent.require_last_push_approval ?? known.requireLastPushApproval,
    restrictsDismissals: dismissal === undefined ? known.restrictsDismissals : isNaming(dismissal),
    allowsBypass: bypass === undefined ? known.allowsBypass : isNaming(bypass),
  };
}

/** An empty object ends a restriction; empty lists keep everybody out. */
export function isNaming(sent: SentNames): boolean {
  return sent.users !== undefined || sent.teams !== undefined || sent.apps !== undefined;
}

export function checkNamedCount(count: number, field: string): void {
  if (count > MAX_NAMED) throw problem(field, `must name at most ${MAX_NAMED} users, teams and apps`);
}
