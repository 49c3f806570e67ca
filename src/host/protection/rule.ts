// The rule of a branch, and what it says about one change of the branch. Pure.
import { addPullViolations, type PullFacts } from './pull-rule.ts';

export interface RequiredCheck {
  context: string;
  /** The number of the app that must report it; null for anyone. */
  appId: number | null;
}

export interface StatusCheckRule {
  /** Whether pull requests must contain the newest commit of the branch. What is pushed to it always does. */
  strict: boolean;
  checks: RequiredCheck[];
}

export interface ReviewRule {
  dismissStaleReviews: boolean;
  requireCodeOwnerReviews: boolean;
  requiredApprovingReviewCount: number;
  requireLastPushApproval: boolean;
  /** Whether only those of the purpose `dismiss` may dismiss reviews. */
  restrictsDismissals: boolean;
  /** Whether those of the purpose `bypass` need no pull request. */
  allowsBypass: boolean;
}

export interface BranchRule {
  /** Null where none are required. */
  statusChecks: StatusCheckRule | null;
  reviews: ReviewRule | null;
  /** Whether only those of the purpose `push` may push. */
  isRestricted: boolean;
  enforceAdmins: boolean;
  requiredSignatures: boolean;
  requiredLinearHistory: boolean;
  allowForcePushes: boolean;
  allowDeletions: boolean;
  blockCreations: boolean;
  requiredConversationResolution: boolean;
  lockBranch: boolean;
  allowForkSyncing: boolean;
}

export const DEFAULT_RULE: BranchRule = {
  statusChecks: null,
  reviews: null,
  isRestricted: false,
  enforceAdmins: false,
  requiredSignatures: false,
  requiredLinearHistory: false,
  allowForcePushes: false,
  allowDeletions: false,
  blockCreations: false,
  requiredConversationResolution: false,
  lockBranch: false,
  allowForkSyncing: false,
};

export const DEFAULT_REVIEWS: ReviewRule = {
  dismissStaleReviews: false,
  requireCodeOwnerReviews: false,
  requiredApprovingReviewCount: 1,
  requireLastPushApproval: false,
  restrictsDismissals: false,
  allowsBypass: false,
};

/** Why a rule names somebody: may push, may dismiss reviews, or needs no pull request. */
export const ACTOR_PURPOSES = ['push', 'dismiss', 'bypass'] as const;

export type ActorPurpose = (typeof ACTOR_PURPOSES)[number];

/** What rules ask about a change. Answers that cost something are read only where a rule asks. */
export interface ChangeFacts {
  kind: 'create' | 'update' | 'delete';
  isAdmin: boolean;
  /** Whether a fork is brought up to date with the repository above it. */
  isForkSync?: boolean;
  /** What the rule names the pusher for. */
  purposes(): Promise<ReadonlySet<string>>;
  /** Whether commits of the branch are lost. */
  isForced(): Promise<boolean>;
  hasNewCommits(): Promise<boolean>;
  hasNewMerges(): Promise<boolean>;
  /** The required checks that the new commit, or the head of the pull request, does not have, or not successfully, and their state. */
  openChecks(checks: readonly RequiredCheck[]): Promise<OpenCheck[]>;
  /** Where the change merges a pull request. */
  pull?: PullFacts;
}

export interface OpenCheck {
  context: string;
  state: 'expected' | 'pending' | 'failing';
}

/** Why a change is refused. */
export interface RuleViolation {
  code:
    | 'force'
    | 'deletion'
    | 'locked'
    | 'restricted'
    | 'reviews'
    | 'behind'
    | 'checks'
    | 'conversations'
    | 'merges'
    | 'signatures';
  message: string;
}

export type AddViolation = (code: RuleViolation['code'], message: string) => void;

/** Everything that the rule has against the change; nothing where it may be made. */
export async function findViolations(rule: BranchRule, facts: ChangeFacts): Promise<RuleViolation[]> {
  const violations: RuleViolation[] = [];
  const add: AddViolation = (code, message) => void violations.push({ code, message });
  // These two apply to administrators too, whatever `enforceAdmins` says.
  if (facts.kind === 'delete' && !rule.allowDeletions) add('deletion', 'Cannot delete this protected branch');
  if (facts.kind === 'update' && !rule.allowForcePushes && (await facts.isForced()))
    add('force', 'Cannot force-push to this branch');
  if (facts.isAdmin && !rule.enforceAdmins) return violations;
  if (rule.lockBranch && !(rule.allowForkSyncing && facts.isForkSync === true))
    add('locked', 'Cannot change this locked branch');
  if (await isKeptOut(rule, facts)) add('restricted', "You're not authorized to push to this branch.");
  if (facts.kind === 'update') await addContentViolations(rule, facts, add);
  return violations;
}

/** Restrictions concern the creation of the branch only where the rule says so. */
async function isKeptOut(rule: BranchRule, facts: ChangeFacts): Promise<boolean> {
  if (!rule.isRestricted || (facts.kind === 'create' && !rule.blockCreations)) return false;
  return !(await facts.purposes()).has('push');
}

async function addContentViolations(rule: BranchRule, facts: ChangeFacts, add: AddViolation): Promise<void> {
  const { reviews, statusChecks } = rule;
  const mayBypass = reviews?.allowsBypass === true && (await facts.purposes()).has('bypass');
  if (facts.pull !== undefined) await addPullViolations(rule, facts.pull, mayBypass, add);
  else if (reviews !== null && !mayBypass) add('reviews', 'Changes must be made through a pull request.');
  const open = statusChecks === null ? [] : await facts.openChecks(statusChecks.checks);
  if (open.length > 0) add('checks', describeChecks(open, statusChecks!.checks.length));
  if (rule.requiredLinearHistory && (await facts.hasNewMerges()))
    add('merges', 'This branch must not contain merge commits.');
  // No signature is ever verified here, so that every new commit lacks a verified one.
  if (rule.requiredSignatures && (await facts.hasNewCommits()))
    add('signatures', 'Commits must have verified signatures.');
}

function describeChecks(open: readonly OpenCheck[], required: number): string {
  const [first] = open;
  if (open.length === 1) return `Required status check "${first!.context}" is ${first!.state}.`;
  const isOneState = open.every(({ state }) => state === first!.state);
  const state = isOneState ? first!.state : 'expected, pending or failing';
  return `${open.length} of ${required} required status checks are ${state}.`;
}

/** `non_admins` and `everyone` say to whom a setting applies. */
export function enforcementLevel(
  isOn: boolean,
  { enforceAdmins }: BranchRule,
): 'off' | 'non_admins' | 'everyone' {
  if (!isOn) return 'off';
  return enforceAdmins ? 'everyone' : 'non_admins';
}
