// The protection of a branch: as the API has it, as its form has it, and in sentences.
import { PROTECTION_SENTENCES as SAY } from './protection-words.ts';

interface Enabled {
  enabled: boolean;
}

interface ShownActors {
  users: { login: string }[];
  teams: { slug: string }[];
  apps: { slug: string }[];
}

export interface Check {
  context: string;
  /** Who must report it; null for anyone. */
  app_id: number | null;
}

export interface Protection {
  required_status_checks?: { strict: boolean; checks: Check[] };
  required_pull_request_reviews?: {
    dismissal_restrictions?: ShownActors;
    bypass_pull_request_allowances?: ShownActors;
    dismiss_stale_reviews: boolean;
    require_code_owner_reviews: boolean;
    required_approving_review_count: number;
    require_last_push_approval: boolean;
  };
  restrictions?: ShownActors;
  required_signatures: Enabled;
  enforce_admins: Enabled;
  required_linear_history: Enabled;
  allow_force_pushes: Enabled;
  allow_deletions: Enabled;
  block_creations: Enabled;
  required_conversation_resolution: Enabled;
  lock_branch: Enabled;
  allow_fork_syncing: Enabled;
}

/** Users, teams and apps that a rule names for one purpose. */
export interface Actors {
  users: string[];
  teams: string[];
  apps: string[];
}

export interface ReviewDraft {
  count: number;
  hasCodeOwners: boolean;
  dismissesStale: boolean;
  hasLastPush: boolean;
  /** Null where everybody who can write may. */
  dismissers: Actors | null;
  /** Null where nobody may. */
  bypassers: Actors | null;
}

/** Null where it is not asked for. */
export interface ProtectionDraft {
  reviews: ReviewDraft | null;
  checks: { isStrict: boolean; list: Check[] } | null;
  hasConversations: boolean;
  isLinear: boolean;
  isLocked: boolean;
  allowsForkSync: boolean;
  /** Null where everybody who can write may push. */
  pushers: Actors | null;
  blocksCreations: boolean;
  allowsForce: boolean;
  allowsDeletion: boolean;
  bindsAdmins: boolean;
}

export const NOBODY: Actors = { users: [], teams: [], apps: [] };

export const NEW_REVIEWS: ReviewDraft = {
  count: 1,
  hasCodeOwners: false,
  dismissesStale: false,
  hasLastPush: false,
  dismissers: null,
  bypassers: null,
};

/** What a new rule begins with. */
export const NEW_RULE: ProtectionDraft = {
  reviews: NEW_REVIEWS,
  checks: null,
  hasConversations: false,
  isLinear: false,
  isLocked: false,
  allowsForkSync: false,
  pushers: null,
  blocksCreations: false,
  allowsForce: false,
  allowsDeletion: false,
  bindsAdmins: false,
};

function actorsOf(shown: ShownActors | undefined): Actors | null {
  if (shown === undefined) return null;
  return {
    users: shown.users.map(({ login }) => login),
    teams: shown.teams.map(({ slug }) => slug),
    apps: shown.apps.map(({ slug }) => slug),
  };
}

export function draftOfProtection(protection: Protection): ProtectionDraft {
  const { required_pull_request_reviews: reviews, required_status_checks: checks } = protection;
  return {
    reviews:
      reviews === undefined
        ? null
        : {
            count: reviews.required_approving_review_count,
            hasCodeOwners: reviews.require_code_owner_reviews,
            dismissesStale: reviews.dismiss_stale_reviews,
            hasLastPush: reviews.require_last_push_approval,
            dismissers: actorsOf(reviews.dismissal_restrictions),
            bypassers: actorsOf(reviews.bypass_pull_request_allowances),
          },
    checks:
      checks === undefined
        ? null
        : {
            isStrict: checks.strict,
            list: checks.checks.map(({ context, app_id: app }) => ({ context, app_id: app })),
          },
    hasConversations: protection.required_conversation_resolution.enabled,
    isLinear: protection.required_linear_history.enabled,
    isLocked: protection.lock_branch.enabled,
    allowsForkSync: protection.allow_fork_syncing.enabled,
    pushers: actorsOf(protection.restrictions),
    blocksCreations: protection.block_creations.enabled,
    allowsForce: protection.allow_force_pushes.enabled,
    allowsDeletion: protection.allow_deletions.enabled,
    bindsAdmins: protection.enforce_admins.enabled,
  };
}

/** The body of the call that saves it whole. */
export function bodyOfProtection(draft: ProtectionDraft): Record<string, unknown> {
  const { reviews, checks } = draft;
  return {
    required_status_checks: checks && { strict: checks.isStrict, checks: checks.list },
    enforce_admins: draft.bindsAdmins,
    required_pull_request_reviews: reviews && {
      required_approving_review_count: reviews.count,
      require_code_owner_reviews: reviews.hasCodeOwners,
      dismiss_stale_reviews: reviews.dismissesStale,
      require_last_push_approval: reviews.hasLastPush,
      dismissal_restrictions: reviews.dismissers ?? {},
      bypass_pull_request_allowances: reviews.bypassers ?? {},
    },
    restrictions: draft.pushers,
    required_linear_history: draft.isLinear,
    allow_force_pushes: draft.allowsForce,
    allow_deletions: draft.allowsDeletion,
    block_creations: draft.pushers !== null && draft.blocksCreations,
    required_conversation_resolution: draft.hasConversations,
    lock_branch: draft.isLocked,
    allow_fork_syncing: draft.isLocked && draft.allowsForkSync,
  };
}

/** Everything that the rule says, a sentence for each thing. */
export function sentencesOf(draft: ProtectionDraft): string[] {
  const { reviews, checks } = draft;
  return [
    ...(reviews === null ? [] : reviewSentences(reviews)),
    ...(checks === null ? [] : checkSentences(checks)),
    draft.hasConversations && SAY.conversations,
    draft.isLinear && SAY.linear,
    draft.isLocked && (draft.allowsForkSync ? SAY.lockedButSync : SAY.locked),
    draft.pushers !== null && SAY.pushers(namesOf(draft.pushers)),
    draft.pushers !== null && draft.blocksCreations && SAY.creations,
    draft.allowsForce ? SAY.force : SAY.noForce,
    draft.allowsDeletion ? SAY.deletion : SAY.noDeletion,
    draft.bindsAdmins ? SAY.admins : SAY.noAdmins,
  ].filter((sentence) => sentence !== false);
}

function reviewSentences(reviews: ReviewDraft): string[] {
  return [
    reviews.count === 0 ? SAY.pull : SAY.reviews(reviews.count),
    reviews.hasCodeOwners && SAY.codeOwners,
    reviews.dismissesStale && SAY.stale,
    reviews.hasLastPush && SAY.lastPush,
    reviews.dismissers !== null && SAY.dismissers(namesOf(reviews.dismissers)),
    reviews.bypassers !== null && SAY.bypassers(namesOf(reviews.bypassers)),
  ].filter((sentence) => sentence !== false);
}

function checkSentences({ isStrict, list }: { isStrict: boolean; list: readonly Check[] }): string[] {
  return [
    list.length > 0 && SAY.checks(joined(list.map(({ context }) => `“${context}”`)), list.length === 1),
    isStrict && SAY.strict,
    list.length === 0 && !isStrict && SAY.noChecks,
  ].filter((sentence) => sentence !== false);
}

function namesOf({ users, teams, apps }: Actors): string {
  const names = [...users, ...teams.map(SAY.team), ...apps.map(SAY.app)];
  return names.length === 0 ? SAY.nobody : joined(names);
}

function joined(names: readonly string[]): string {
  if (names.length < 2) return names.join('');
  return `${names.slice(0, -1).join(', ')} ${SAY.and} ${names.at(-1)}`;
}

export interface SentenceChange {
  kind: 'gone' | 'new';
  text: string;
}

/** What a save would change, in sentences. */
export function compareRules(before: ProtectionDraft | undefined, after: ProtectionDraft): SentenceChange[] {
  const old = before === undefined ? [] : sentencesOf(before);
  const now = sentencesOf(after);
  return [
    ...old.filter((text) => !now.includes(text)).map((text) => ({ kind: 'gone' as const, text })),
    ...now.filter((text) => !old.includes(text)).map((text) => ({ kind: 'new' as const, text })),
  ];
}
