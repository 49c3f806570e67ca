// Written by `npm run console:types` from docs/openapi/flags.20240415.json.

export interface ApprovalRequestResponse {
  _id: string;
  _version: number;
  creationDate: number;
  serviceKind: string;
  requestorId: string;
  description: string;
  comment?: string;
  reviewStatus: 'pending' | 'approved' | 'declined';
  allReviews: ReviewResponse[];
  notifyMemberIds: string[];
  notifyTeamKeys: string[];
  appliedDate?: number;
  appliedByMemberId?: string;
  appliedByServiceTokenId?: string;
  status: 'pending' | 'scheduled' | 'completed' | 'failed';
  instructions: Record<string, unknown>[];
  /** Why it has failed, or would fail with the flag as it is now; in lists only the former */
  conflicts: Conflict[];
  executionDate?: number;
  operatingOnId?: string;
  source?: CopiedFromEnv;
  resourceId: string;
  approvalSettings: ApprovalSettings;
  _links: Record<string, Link>;
  flag?: FeatureFlag;
  project?: Project;
  environments?: Environment[];
  resource?: { kind: string; flag: FeatureFlag };
}

interface ApprovalSettings {
  /** All changes need a review */
  required: boolean;
  /** Only changes of what has one of these tags do; not together with `required` */
  requiredApprovalTags: string[];
  bypassApprovalsForPendingChanges: boolean;
  minNumApprovals: number;
  canReviewOwnRequest: boolean;
  canApplyDeclinedChanges: boolean;
  autoApplyApprovedChanges: boolean;
  serviceKind: string;
  serviceConfig: Record<string, unknown>;
}

export interface AuditLogEntry {
  _links: Record<string, Link>;
  _id: string;
  _accountId: string;
  date: number;
  accesses: { action: string; resource: string }[];
  kind: string;
  name: string;
  description: string;
  shortDescription: string;
  comment?: string;
  subject?: { name: string; _links: Record<string, Link> };
  member?: {
    _links: Record<string, Link>;
    _id: string;
    email: string;
    firstName?: string;
    lastName?: string;
  };
  token?: { _links: Record<string, Link>; _id: string; name?: string; ending: string; serviceToken: boolean };
  titleVerb: string;
  title: string;
  target: { _links: Record<string, Link>; name: string; resources: string[] };
  parent?: { _links: Record<string, Link>; name: string; resource: string };
  delta?: unknown;
  /** The merge patch, where it was one */
  merge?: unknown;
  /** The instructions of a semantic patch */
  instructions?: unknown;
  /** The thing before, as the API shows it */
  previousVersion?: unknown;
  /** The thing after */
  currentVersion?: unknown;
  subentries: unknown[];
}

export interface AuditLogEntrySummary {
  _links: Record<string, Link>;
  _id: string;
  _accountId: string;
  date: number;
  accesses: { action: string; resource: string }[];
  kind: string;
  name: string;
  description: string;
  shortDescription: string;
  comment?: string;
  subject?: { name: string; _links: Record<string, Link> };
  member?: {
    _links: Record<string, Link>;
    _id: string;
    email: string;
    firstName?: string;
    lastName?: string;
  };
  token?: { _links: Record<string, Link>; _id: string; name?: string; ending: string; serviceToken: boolean };
  titleVerb: string;
  title: string;
  target: { _links: Record<string, Link>; name: string; resources: string[] };
  parent?: { _links: Record<string, Link>; name: string; resource: string };
}

interface BranchRep {
  _links: Record<string, Link>;
  name: string;
  /** The commit that was scanned */
  head: string;
  updateSequenceId?: number;
  /** When it was scanned, in epoch milliseconds */
  syncTime: number;
  commitTime?: number;
  references?: ReferenceRep[];
}

interface Clause {
  _id?: string;
  /** May be empty for `segmentMatch` */
  attribute: string;
  op:
    | 'in'
    | 'startsWith'
    | 'endsWith'
    | 'contains'
    | 'matches'
    | 'lessThan'
    | 'lessThanOrEqual'
    | 'greaterThan'
    | 'greaterThanOrEqual'
    | 'before'
    | 'after'
    | 'semVerEqual'
    | 'semVerLessThan'
    | 'semVerGreaterThan'
    | 'segmentMatch';
  values: (string | number | boolean)[];
  contextKind?: string;
  negate?: boolean;
}

interface ClientSideAvailability {
  /** Whether browsers see the flag */
  usingEnvironmentId: boolean;
  /** Whether mobile apps see the flag */
  usingMobileKey: boolean;
}

interface Conflict {
  instruction?: Record<string, unknown>;
  reason: string;
}

interface CopiedFromEnv {
  key: string;
  version?: number;
}

interface Defaults {
  /** The index of a variation */
  onVariation: number;
  /** The index of a variation */
  offVariation: number;
}

export interface Environment {
  /** The client-side ID */
  _id: string;
  _links: Record<string, Link>;
  _site: Link;
  _version: number;
  key: string;
  name: string;
  /** The SDK key; its last four characters for callers without viewSdkKey */
  apiKey: string;
  mobileKey: string;
  color: string;
  defaultTtl: number;
  secureMode: boolean;
  defaultTrackEvents: boolean;
  requireComments: boolean;
  confirmChanges: boolean;
  critical: boolean;
  tags: string[];
  approvalSettings: ApprovalSettings;
  resourceApprovalSettings?: { segment?: ApprovalSettings };
}

export interface ExpiringTarget {
  _id: string;
  _version: number;
  /** When it is removed, in epoch milliseconds */
  expirationDate: number;
  variationId?: string;
  targetType?: string;
  _resourceId: ResourceId;
  _links: Record<string, Link>;
  contextKind: string;
  contextKey: string;
}

export interface Export {
  id: string;
  segmentKey: string;
  creationTime: number;
  status: 'in_progress' | 'complete';
  /** Of the file, once it is complete */
  sizeBytes: number;
  /** The same with units */
  size: string;
  initiator: { name?: string; email?: string };
  _links: Record<string, Link>;
}

export interface FeatureFlag {
  name: string;
  kind: 'boolean' | 'multivariate';
  description?: string;
  key: string;
  /** Goes up with every change; test it to change nothing unseen */
  version: number;
  /** The same as `version` */
  _version: number;
  /** When it was made, in epoch milliseconds */
  creationDate: number;
  includeInSnippet?: boolean;
  clientSideAvailability?: ClientSideAvailability;
  variations: Variation[];
  variationJsonSchema: unknown;
  temporary: boolean;
  tags: string[];
  _links: Record<string, Link>;
  maintainerId?: string;
  _maintainer?: MemberSummary;
  maintainerTeamKey?: string;
  _maintainerTeam?: MaintainerTeam;
  goalIds: string[];
  experiments: { baselineIdx: number; items: unknown[] };
  customProperties: Record<string, { name: string; value: string[] }>;
  archived: boolean;
  archivedDate?: number;
  deprecated?: boolean;
  deprecatedDate?: number;
  defaults?: Defaults;
  _purpose?: string;
  migrationSettings?: MigrationSettings;
  codeReferences?: { items: StatisticRep[] };
  environments?: Record<string, FeatureFlagConfig>;
}

export interface FeatureFlagConfig {
  on: boolean;
  archived: boolean;
  salt: string;
  sel: string;
  lastModified: number;
  version: number;
  targets?: Target[];
  contextTargets?: Target[];
  rules?: Rule[];
  fallthrough?: VariationOrRollout;
  /** The index of a variation */
  offVariation?: number;
  prerequisites?: Prerequisite[];
  _site: Link;
  _environmentName: string;
  trackEvents: boolean;
  trackEventsFallthrough: boolean;
  _summary?: {
    prerequisites: number;
    variations: Record<
      string,
      {
        rules: number;
        nullRules: number;
        targets: number;
        contextTargets: number;
        isFallthrough?: boolean;
        isOff?: boolean;
        rollout?: number;
        bucketBy?: string;
      }
    >;
  };
  evaluation?: { contextKinds: string[] };
  migrationSettings?: { checkRatio?: number };
}

export interface FeatureFlagScheduledChange {
  _id: string;
  _creationDate: number;
  /** The member in whose name it is made */
  _maintainerId: string;
  _version: number;
  /** When it is made, in epoch milliseconds */
  executionDate: number;
  instructions: Record<string, unknown>[];
  comment?: string;
  /** One that was made is no longer here */
  status: 'pending' | 'failed';
  /** Why it has failed, or would fail with the flag as it is now; in lists only the former */
  conflicts: Conflict[];
  _links: Record<string, Link>;
}

interface FileRep {
  filename?: string;
  status: 'preparing' | 'pending_approval' | 'in_progress' | 'complete' | 'stopped';
}

export interface FlagLinkRep {
  _links: Record<string, Link>;
  _id: string;
  _key: string;
  _integrationKey?: string;
  _deepLink: string;
  _timestamp: { milliseconds: number; seconds: number; rfc3339: string; simple: string };
  title?: string;
  description?: string;
  _metadata?: Record<string, string>;
  _createdAt: number;
  _member: { _id: string; _links: Record<string, Link> };
}

interface FlagListingRep {
  key: string;
  name: string;
  _links: Record<string, Link>;
  _site: Link;
}

export interface FlagStatusRep {
  name: 'new' | 'active' | 'launched' | 'inactive';
  lastRequested?: string;
  /** The default that the code asked with last */
  default?: unknown;
  _links: Record<string, Link>;
}

interface HunkRep {
  startingLineNumber: number;
  /** The code around the flag */
  lines?: string;
  projKey?: string;
  flagKey?: string;
  /** Other names of the flag in the code */
  aliases?: string[];
  contentHash?: string;
}

export interface Import {
  id: string;
  segmentKey: string;
  creationTime: number;
  mode: 'merge' | 'replace';
  /** `stopped` where it could not go on; `message` says why */
  status: 'preparing' | 'pending_approval' | 'in_progress' | 'complete' | 'stopped';
  message?: string;
  files: FileRep[];
  sizeBytes: number;
  /** The same with units */
  size: string;
  /** Keys in the file, once it is checked */
  keyCount: number;
  /** How many of them have been taken in */
  processedCount: number;
  /** Contexts that are included or excluded and were not before */
  changedCount: number;
  /** Contexts that were not in the file, where it replaces all */
  removedCount: number;
  _links: Record<string, Link>;
}

interface Link {
  href: string;
  type: string;
}

interface MaintainerTeam {
  key: string;
  name: string;
  _links: Record<string, Link>;
}

interface MemberSummary {
  _id: string;
  _links: Record<string, Link>;
  /** A base role */
  role: 'reader' | 'writer' | 'admin' | 'owner' | 'no_access';
  email: string;
  firstName?: string;
  lastName?: string;
}

interface MigrationSettings {
  contextKind?: string;
  /** 2, 4 or 6 */
  stageCount: number;
}

interface Prerequisite {
  key: string;
  /** The index of a variation */
  variation: number;
}

export interface Project {
  _id: string;
  _links: Record<string, Link>;
  _site: Link;
  _version: number;
  key: string;
  name: string;
  tags: string[];
  includeInSnippetByDefault: boolean;
  defaultClientSideAvailability: ClientSideAvailability;
  /** How keys of new flags are to look */
  namingConvention?: {
    case?: 'none' | 'camelCase' | 'upperCamelCase' | 'snakeCase' | 'kebabCase' | 'constantCase';
    prefix?: string;
  };
  environments?: { items: Environment[]; totalCount: number; _links: Record<string, Link> };
}

interface ReferenceRep {
  /** The path of the file in the repository */
  path: string;
  /** The programming language */
  hint?: string;
  hunks: HunkRep[];
}

export interface RepositoryRep {
  _links: Record<string, Link>;
  name: string;
  type: string;
  defaultBranch: string;
  enabled: boolean;
  sourceLink?: string;
  commitUrlTemplate?: string;
  hunkUrlTemplate?: string;
  version: number;
  branches?: BranchRep[];
}

interface ResourceId {
  kind: string;
  projectKey: string;
  environmentKey: string;
  key: string;
  flagKey?: string;
}

interface ReviewResponse {
  _id: string;
  kind: 'approve' | 'comment' | 'decline';
  creationDate: number;
  comment?: string;
  memberId?: string;
  serviceTokenId?: string;
}

interface Rollout {
  /** All weights together make 100,000 */
  variations: {
    /** The index of a variation */
    variation: number;
    weight: number;
    _untracked?: boolean;
  }[];
  bucketBy?: string;
  contextKind?: string;
  seed?: number;
}

interface Rule {
  /** Given by the server */
  _id?: string;
  ref?: string;
  /** The index of a variation */
  variation?: number;
  rollout?: Rollout;
  clauses: {
    /** Given by the server */
    _id?: string;
    /** May be empty for `segmentMatch` */
    attribute: string;
    op:
      | 'in'
      | 'startsWith'
      | 'endsWith'
      | 'contains'
      | 'matches'
      | 'lessThan'
      | 'lessThanOrEqual'
      | 'greaterThan'
      | 'greaterThanOrEqual'
      | 'before'
      | 'after'
      | 'semVerEqual'
      | 'semVerLessThan'
      | 'semVerGreaterThan'
      | 'segmentMatch';
    values: (string | number | boolean)[];
    contextKind?: string;
    negate?: boolean;
  }[];
  trackEvents?: boolean;
  description?: string;
  disabled?: boolean;
}

interface SegmentTarget {
  values: string[];
  contextKind: string;
}

interface StatisticRep {
  _links: Record<string, Link>;
  /** The name of the repository */
  name: string;
  type: string;
  sourceLink: string;
  defaultBranch: string;
  enabled: boolean;
  version: number;
  /** In how many places of the default branch the flag is named */
  hunkCount: number;
  /** In how many files */
  fileCount: number;
  latestCommitTime?: number;
}

interface Target {
  values: string[];
  /** The index of a variation */
  variation: number;
  contextKind?: string;
}

export interface TriggerWorkflowRep {
  _id: string;
  _version: number;
  _creationDate: number;
  _maintainerId: string;
  _integrationKey: string;
  enabled: boolean;
  instructions: Record<string, unknown>[];
  comment?: string;
  _lastTriggeredAt?: number;
  _triggerCount: number;
  /** Shown once, to whoever made the trigger or changed its URL */
  triggerURL?: string;
  _links: Record<string, Link>;
}

export interface UserSegment {
  key: string;
  name: string;
  description?: string;
  tags: string[];
  creationDate: number;
  lastModifiedDate: number;
  /** Not of a big segment */
  included?: string[];
  excluded?: string[];
  includedContexts?: SegmentTarget[];
  excludedContexts?: SegmentTarget[];
  rules: UserSegmentRule[];
  version: number;
  deleted: boolean;
  unbounded: boolean;
  unboundedContextKind?: string;
  /** How often a segment of this key has been made */
  generation: number;
  /** Of a big segment: whether members are being taken in from a file */
  _importInProgress?: boolean;
  _links: Record<string, Link>;
  _site: Link;
  _unboundedMetadata?: {
    envId: string;
    segmentId: string;
    version: number;
    includedCount: number;
    excludedCount: number;
    lastModified: number;
    deleted: boolean;
  };
  /** The flags whose rules name it */
  _flags?: FlagListingRep[];
}

export interface UserSegmentRule {
  _id?: string;
  clauses: Clause[];
  /** In thousandths of a percent */
  weight?: number;
  rolloutContextKind?: string;
  bucketBy?: string;
  description?: string;
}

export interface Variation {
  /** Given by the server */
  _id?: string;
  /** Any JSON */
  value: unknown;
  name?: string;
  description?: string;
}

interface VariationOrRollout {
  /** The index of a variation */
  variation?: number;
  rollout?: Rollout;
}
