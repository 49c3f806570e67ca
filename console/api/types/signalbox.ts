// Written by `npm run console:types` from docs/openapi/signalbox.v1.json.

export interface Abilities {
  sentences: {
    /** Goes on after the name of the member: `may …` */
    text: string;
    /** Where it comes from */
    because: {
      /** The base role */
      role?: string;
      /** The key of the custom role */
      policy?: string;
      /** The key of the team that gives it */
      team?: string;
    };
  }[];
  /** False where there are more than can be shown */
  isComplete: boolean;
}

export interface AccountMember {
  id: string;
  username: string;
  email: string;
  firstName?: string;
  lastName?: string;
  /** A base role */
  role: 'reader' | 'writer' | 'admin' | 'owner' | 'no_access';
  /** Their own ones, without those of their teams; the name is the key where the caller may not see the role */
  customRoles: { key: string; name: string }[];
  teams: { key: string; name: string }[];
  /** `invited` as long as they were never seen */
  state: 'active' | 'invited';
  hasPassword: boolean;
  /** Whether their login needs a code of an authenticator app */
  hasSecondFactor: boolean;
  /** In epoch milliseconds */
  lastSeenAt?: number;
  /** In epoch milliseconds */
  createdAt: number;
  /** A link that nobody has used; an expired one is shown for a month */
  invitation?: {
    /** In epoch milliseconds */
    expiresAt: number;
    isExpired: boolean;
  };
}

export interface Activity {
  id: string;
  /** In epoch milliseconds */
  at: number;
  product: 'flags' | 'actors' | 'code' | 'account';
  /** The permission that it needed */
  action: string;
  /** The specifier of what was changed */
  resource: string;
  kind: string;
  /** Of what was changed, at that time */
  name: string;
  /** Between the person and the name: `turned on the flag` */
  verb: string;
  /** Markdown, a line for each thing that changed */
  description?: string;
  comment?: string;
  member?: { id: string; email: string; name?: string };
  token?: { id: string; name: string; ending: string; isService: boolean };
}

export interface ActivityDetail {
  id: string;
  /** In epoch milliseconds */
  at: number;
  product: 'flags' | 'actors' | 'code' | 'account';
  /** The permission that it needed */
  action: string;
  /** The specifier of what was changed */
  resource: string;
  kind: string;
  /** Of what was changed, at that time */
  name: string;
  /** Between the person and the name: `turned on the flag` */
  verb: string;
  /** Markdown, a line for each thing that changed */
  description?: string;
  comment?: string;
  member?: { id: string; email: string; name?: string };
  token?: { id: string; name: string; ending: string; isService: boolean };
  /** The resource before; absent where it was created */
  before?: unknown;
  /** The resource after; absent where it was deleted */
  after?: unknown;
}

export interface ActorFigures {
  /** That have ended, the newest */
  runs: number;
  succeeded: number;
  medianDurationMs: number | null;
  medianItems: number | null;
  /** Those with runs, the oldest first */
  days: {
    /** Its beginning, in UTC */
    day: number;
    succeeded: number;
    other: number;
  }[];
  /** There are more than 1000 runs */
  isPartial: boolean;
}

export interface AppInstallation {
  id: number;
  app: { slug: string; name: string };
  account: { login: string; kind: 'user' | 'organization' };
  repositories: 'all' | 'selected';
  permissions: Record<string, 'read' | 'write' | 'admin'>;
  /** Those that its webhook receives */
  events: string[];
  /** Whether the app asks for what the account has not agreed to */
  asksForMore: boolean;
  /** In epoch milliseconds */
  suspendedAt?: number;
  /** In epoch milliseconds */
  createdAt: number;
  /** Where its repositories are chosen and new permissions are agreed to: a path of this server, for browsers */
  settingsPath: string;
}

interface AttemptPhases {
  /** Finding the address of the name */
  dnsMs?: number;
  connectMs?: number;
  tlsMs?: number;
  /** Sending, and waiting for the answer to begin */
  firstByteMs?: number;
  /** The connection was there already: the first three did not happen */
  isReused?: boolean;
}

export interface AttentionItem {
  /** The same for as long as the cause is; for snoozing */
  id: string;
  kind:
    | 'approval'
    | 'review'
    | 'failed-runs'
    | 'expired-locks'
    | 'webhook'
    | 'rate-limit'
    | 'paused'
    | 'late-work'
    | 'disk'
    | 'scheduled-change'
    | 'token'
    | 'version'
    | 'removable-flags';
  /** `waiting`: somebody waits for the caller; `failing`: something fails; `coming`: it comes soon */
  urgency: 'waiting' | 'failing' | 'coming';
  title: string;
  /** Why it needs attention, in one sentence */
  reason: string;
  /** When it happened last, or will happen, in epoch milliseconds */
  at: number;
  /** How often */
  count?: number;
  action: {
    label: string;
    /** Of the page where it is done, below `/console/` */
    path: string;
  };
}

export interface AttentionList {
  items: AttentionItem[];
  /** What would be listed if it were not snoozed */
  snoozed: SnoozedItem[];
}

export interface Backup {
  id: string;
  /** in epoch milliseconds */
  createdAt: number;
  /** Without large objects and repositories: made before an upgrade, to go back */
  isRowsOnly: boolean;
  /** Why it cannot be read; the figures are absent then */
  broken?: string;
  /** Of the server that made it */
  release?: string;
  rows?: number;
  /** How many large objects */
  blobs?: number;
  /** Repositories and gists */
  repositories?: number;
  /** Of everything that it consists of, however much of it other backups share */
  bytes?: number;
  /** Only encrypted ones have it */
  hasSecretKey?: boolean;
}

export interface BackupRun {
  id: string;
  kind: 'backup' | 'verify';
  state: 'waiting' | 'running' | 'done' | 'failed';
  /** Of the backup that is made or checked */
  backupId: string;
  /** False where somebody has asked for it */
  isScheduled: boolean;
  /** What is being done, or was */
  progress: string;
  /** That were read so far */
  bytes: number;
  /** in epoch milliseconds */
  createdAt: number;
  /** in epoch milliseconds */
  startedAt?: number;
  /** in epoch milliseconds */
  finishedAt?: number;
  /** Why it has failed */
  error?: string;
}

export interface Backups {
  /** The folder or the bucket where they are */
  place: string;
  isEncrypted: boolean;
  /** Whether the disk of the data holds them too, so that they are lost with it */
  isOnDataDisk: boolean;
  /** How often one is made; 0 for never by itself */
  everyHours: number;
  /** How long they are kept, the newest for ever; 0 for all of them */
  keptDays: number;
  /** When the next one is made by itself, in epoch milliseconds */
  nextAt?: number;
  /** Why the list cannot be read; it is empty then */
  problem?: string;
  /** What was made and checked lately, the newest first */
  runs: BackupRun[];
  /** The newest first, at most 200 */
  items: Backup[];
}

export interface Blame {
  /** The commit whose file it is */
  sha: string;
  /** Of the file; of the target where a symbolic link was named */
  path: string;
  /** How many the file has */
  lines: number;
  from: number;
  /** The last line of this reply */
  to: number;
  /** In the order of lines, without gaps */
  blocks: BlameBlock[];
  /** Each that a block names, once */
  commits: CommitSummary[];
}

interface BlameBlock {
  /** Its first line */
  from: number;
  /** Its last line */
  to: number;
  /** The commit that the lines come from */
  sha: string;
  /** The file in that commit: it may have had another name */
  path: string;
  /** Its first line in that commit */
  originalFrom: number;
  previous?: BlameOrigin;
}

interface BlameOrigin {
  sha: string;
  path: string;
}

export interface BuildComparison {
  before: ComparedBuild;
  after: ComparedBuild;
  log: {
    /** Lines that the log before does not have, the most severe and frequent first; at most 100 */
    added: OneSidedLine[];
    /** Lines that only the log before has */
    missing: OneSidedLine[];
    addedTotal: number;
    missingTotal: number;
    /** A log has more different lines than are compared */
    isPartial: boolean;
  };
}

export interface BuildSteps {
  /** The first 100 */
  steps: {
    /** Of its first line in the log */
    number: number;
    /** Until the next step; absent for the last one while it goes on */
    durationMs?: number;
  }[];
  firstError: number | null;
}

interface BuiltActor {
  id: string;
  username: string;
  name: string;
  title?: string;
  /** Those that are built from the repository */
  versions: {
    /** `MAJOR.MINOR` */
    number: string;
    /** A branch, a tag or a commit; the default branch if absent */
    reference?: string;
    /** Whether a push starts a build */
    buildsOnPush: boolean;
  }[];
  /** Absent where it has never run */
  lastRunAt?: number;
}

export interface BuiltFiles {
  build: ComparedBuild;
  files: { name: string; format?: 'TEXT' | 'BASE64'; content?: string; folder?: boolean }[];
}

export interface ChangeGuard {
  /** The keys of the environments where something else is served or configured */
  environments: string[];
  requiresComment: boolean;
  /** One of them asks for a confirmation of changes */
  requiresConfirmation: boolean;
  /** One of them is critical */
  isCritical: boolean;
  requiresApproval: boolean;
  /** Whether the caller may do it without the approval */
  mayBypassApproval: boolean;
  /** Whether the caller may make the change now, with a comment where one is required */
  mayApply: boolean;
  /** Why not */
  reason?: string;
  missing?: MissingPermission;
}

export interface ChangePreview {
  /** That it was made for: send it as If-Match with the patch */
  version: number;
  /** Empty where nothing would change */
  sentences: ChangeSentence[];
  /** The members that change, as they are now: those of the configuration where one environment changes, those of the flag or segment otherwise, and `environments` where both do */
  before: Record<string, unknown> | null;
  /** The same after the change; null where it deletes the flag. New ids will be others */
  after: Record<string, unknown> | null;
  guard: ChangeGuard;
  /** Planned changes that could no longer be applied: the patch then needs `ignoreConflicts` */
  conflicts?: PlannedConflict[];
  /** Flags that use the segment, or have the flag as a prerequisite, where it changes; the first 50 */
  touches?: TouchedFlag[];
  /** How many there are, up to 1000 */
  touchesTotal?: number;
}

interface ChangeSentence {
  /** As the audit log will say it, in Markdown */
  sentence: string;
  /** What it is about: `on`, `rules`, `targets`, `name` and so on */
  part: string;
  /** Absent for what all environments share */
  environmentKey?: string;
}

interface CommitSummary {
  sha: string;
  /** The first line of its message */
  title: string;
  author: {
    name: string;
    /** Where the address is that of somebody on this server */
    login?: string;
  };
  authoredAt: number;
}

export interface ComparedBuild {
  id: string;
  number: string;
  status: 'READY' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMING-OUT' | 'TIMED-OUT' | 'ABORTING' | 'ABORTED';
  startedAt: number;
  finishedAt: number | null;
}

export interface ComparedRun {
  id: string;
  actorId: string;
  taskId: string | null;
  status: 'READY' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMING-OUT' | 'TIMED-OUT' | 'ABORTING' | 'ABORTED';
  statusMessage: string | null;
  exitCode: number | null;
  startedAt: number;
  finishedAt: number | null;
  build: {
    id: string;
    number: string;
    /** That it was built from, where your own Actor has its sources in a repository */
    commit?: string;
  };
}

export interface CopiedFlag {
  flag: string;
  environment: string;
  /** Only what is `changed` has changed, or would in a dry run */
  outcome: 'changed' | 'same' | 'approval-required' | 'refused';
  sentences: ChangeSentence[];
  /** Why it was not changed */
  reason?: string;
  /** The permission that the caller does not have */
  missing?: { action: string; resource: string };
}

export interface Demo {
  state: 'absent' | 'loading' | 'present' | 'removing';
  /** When they were made, in epoch milliseconds; 0 where nobody knows */
  since?: number;
  /** Whether builds, runs and issues are there, too */
  isComplete: boolean;
  /** Why the last attempt to make or to remove them has failed; it is made again */
  problem?: string;
  /** What is there. Where the state is `absent`, these have the names that the examples would have. */
  parts: {
    /** As the activity names it */
    resource: string;
    product: 'flags' | 'actors' | 'code' | 'account';
    kind: string;
    name: string;
    /** When it, or something in it, was changed last since it was made, in epoch milliseconds; absent where it was not */
    changedAt?: number;
    /** By whom, as far as the activity says so */
    changedBy: string[];
  }[];
}

export interface ExportEstimate {
  /** How many items are read; unwinding makes more of them, and leaving out empty ones fewer */
  count: number;
  /** About the size of the file */
  bytes: number;
  /** Whether the size was not estimated, because all items were rendered */
  isExact: boolean;
}

export interface ExternalLogin {
  /** What the provider is called; absent where the operator has set up none */
  provider?: string;
  connected?: {
    /** As the provider named it then */
    email?: string;
    /** In epoch milliseconds */
    since: number;
  };
}

export interface ExternalLoginAddress {
  url: string;
}

export interface FailedRequests {
  items: Request[];
  /** Among those that were looked through, with whatever error */
  failed: number;
  /** There are more requests than were looked through */
  isPartial: boolean;
  /** The last errors of the first 1000 of them, the most frequent 50 first */
  errors: QueueError[];
}

interface FailureGroup {
  /** The same for the same Actor and cause */
  id: string;
  actor: {
    id: string;
    /** `username~name`; absent where the Actor is gone */
    name?: string;
    title?: string;
  };
  status: 'READY' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMING-OUT' | 'TIMED-OUT' | 'ABORTING' | 'ABORTED';
  /** The message of the runs without numbers, addresses, ids and times */
  cause: string;
  message: string | null;
  /** The last line of level ERROR in the log of the newest run */
  error?: string;
  count: number;
  /** When the oldest of them was started */
  firstAt: number;
  /** When the newest of them was started */
  lastAt: number;
  /** The ids of the newest 10 */
  runs: string[];
}

export interface FailureGroups {
  since: number;
  /** The newest first; at most 100 */
  items: FailureGroup[];
  /** There are more than 1000 runs of a status, or more causes */
  isPartial: boolean;
}

export interface FlagCopyReply {
  isDryRun: boolean;
  /** How many have changed, or would */
  changed: number;
  /** One for each flag and environment */
  items: CopiedFlag[];
}

export interface FlagDifferences {
  /** Its key */
  flag: string;
  name: string;
  /** Of the flag: send it with a copy */
  version: number;
  tags: string[];
  parts: {
    part: 'on' | 'prerequisites' | 'targets' | 'rules' | 'fallthrough' | 'offVariation' | 'migrationSettings';
    /** How it is in the environment `from`, in Markdown */
    from: string;
    /** How it is in the environment `to` */
    to: string;
  }[];
}

export interface FlagIntegration {
  key: string;
  fields: {
    name: string;
    kind: 'address' | 'secret address' | 'secret' | 'word' | 'text' | 'switch';
    isOptional: boolean;
    default?: string;
    among?: string[];
  }[];
}

export interface FlagReadByRun {
  project: { key: string; name: string };
  environment: { key: string; name: string; isCritical: boolean };
  key: string;
  /** Absent where there is no such flag now */
  name?: string;
  /** Absent where the default value in the code applied */
  variation?: number;
  /** As it is called now */
  variationName?: string;
  /** What the run got; absent where it is long or was not said */
  value?: unknown;
  /** Of the flag, when it was read */
  version?: number;
  /** Why, the last time that it was said; counts of SDKs do not say it */
  reason?: {
    kind: 'OFF' | 'FALLTHROUGH' | 'TARGET_MATCH' | 'RULE_MATCH' | 'PREREQUISITE_FAILED' | 'ERROR';
    ruleIndex?: number;
    ruleId?: string;
    prerequisiteKey?: string;
    errorKind?: string;
  };
  /** How often */
  reads: number;
  /** When it was first reported, in epoch milliseconds */
  firstAt: number;
  /** In epoch milliseconds */
  lastAt: number;
  /** Absent where SDKs no longer get it */
  now?: {
    isOn: boolean;
    version: number;
    /** Whether it has changed since; absent where no version was said */
    hasChanged?: boolean;
    /** Whether it serves the same to everybody */
    isForEverybody: boolean;
    /** What it serves to everybody */
    value?: unknown;
  };
  isArchived: boolean;
}

export interface FlagState {
  key: string;
  /** As the status of the flag in the environment; or `ready-to-remove`, when nothing about it has changed for 30 days, it serves one variation to everybody in every critical environment, no flag has it as a prerequisite and no change is planned. A permanent flag is so only if no SDK has asked for it for 30 days */
  lifecycle: 'new' | 'active' | 'launched' | 'inactive' | 'ready-to-remove';
  /** Why, in one sentence */
  reason: string;
  /** Evaluations in the environment, as SDKs report them, on each of seven days in UTC: today is the last */
  week: number[];
  /** When an SDK last asked for it there, in epoch milliseconds */
  lastEvaluated?: number;
  /** The next change that is scheduled there */
  nextChange?: { at: number; id: string };
  /** How many requests wait there for approval */
  waitingApprovals: number;
}

export interface FlagUsageReport {
  /** The beginning of the first day, in epoch milliseconds */
  since: number;
  /** Days and variations without an evaluation are absent */
  days: {
    /** The beginning of the day in UTC */
    at: number;
    /** Its index; absent where the code got its own default */
    variation?: number;
    count: number;
  }[];
  /** At most 50, the last seen first */
  sdks: {
    name: string;
    version?: string;
    /** The beginning of the hour; of the day, for what is older than two days */
    lastSeen: number;
    count: number;
  }[];
  /** False where there was too much to add up: the oldest is left out */
  isComplete: boolean;
}

export interface FlagWebhook {
  id: string;
  kind: 'webhook' | 'integration';
  /** The key of its integration */
  integration?: string;
  name: string;
  /** Absent where it is made from the settings */
  url?: string;
  /** Settings of its integration that are not secret */
  config?: Record<string, string | boolean>;
  isOn: boolean;
  /** Whether deliveries are signed with a secret */
  isSigned: boolean;
  tags: string[];
  /** Which changes it receives; all, when empty */
  statements: Statement[];
  /** As policies name it */
  resource: string;
  createdAt: number;
  lastDelivery?: { at: number; state: 'pending' | 'delivered' | 'failed'; status?: number; error?: string };
}

export interface FoundFlag {
  key: string;
  name: string;
  project: { key: string; name: string };
  isArchived: boolean;
  /** As the last sweep found it: see `ready-to-remove` of the states of flags */
  isReadyToRemove: boolean;
  /** The first 6, critical ones before others */
  environments: { key: string; name: string; isCritical: boolean; isOn: boolean }[];
  /** How many there are beside these */
  otherEnvironments: number;
}

export interface FoundRuns {
  items: RunShort[];
  /** Of the runs that were looked through */
  total: number;
  /** There are more runs of this time: the newest 20000 were looked through, or fewer where a text is looked for in long inputs */
  isPartial: boolean;
  /** How many runs were looked through */
  searched: number;
  /** How many of them have an input of more than 262144 bytes, in which a text is not looked for */
  unread: number;
  choices: {
    /** How many runs there are of each status, with the other filters: the most frequent 50 */
    status: RunChoice[];
    /** How many runs there are of each origin, with the other filters: the most frequent 50 */
    origin: RunChoice[];
    /** How many runs there are of each number of a build, with the other filters: the most frequent 50 */
    build: RunChoice[];
  };
}

export interface JsonDifference {
  /** A JSON pointer; empty for the whole value */
  path: string;
  /** Absent where there was nothing */
  before?: unknown;
  /** Absent where there is nothing */
  after?: unknown;
}

export interface KeyGroup {
  /** Of several keys: up to and with the delimiter. A record has none */
  prefix?: string;
  record?: RecordHead;
}

export interface LastChanges {
  /** The commit whose folder it is */
  sha: string;
  path: string;
  /** By the names of the first 1000 entries. Those that were changed too long ago to be found in time are left out */
  entries: { name: string; sha: string }[];
  /** Entries are left out */
  isPartial: boolean;
  /** Each that an entry names, once */
  commits: CommitSummary[];
}

export interface LimitPeaks {
  member: { id: string; username: string };
  api: string;
  category: string;
  /** The present one */
  limit: number;
  /** How long a window is */
  seconds: number;
  hours: {
    /** When the hour began, in epoch milliseconds */
    at: number;
    /** What the fullest window that began in it had, refused calls included */
    most: number;
  }[];
}

export interface Link {
  url: string;
  /** In epoch milliseconds */
  expiresAt: number;
}

export interface LoginLink {
  /** Lets one browser in, once. Nothing shows it again */
  url: string;
  /** In epoch milliseconds */
  expiresAt: number;
  purpose: 'invitation' | 'reset';
}

export interface Me {
  /** The account that owns what the caller creates */
  username: string;
  /** For a service token, the member who created it */
  member: {
    id: string;
    username: string;
    email: string;
    firstName?: string;
    lastName?: string;
    role: string;
    customRoles: string[];
  };
  authentication:
    | {
        kind: 'token';
        token: {
          id: string;
          name: string;
          /** Its last characters */
          ending: string;
          isService: boolean;
          /** In epoch milliseconds */
          expiresAt?: number;
        };
      }
    | {
        kind: 'session';
        session: {
          id: string;
          /** In epoch milliseconds */
          expiresAt: number;
        };
      };
  server: {
    release: string;
    publicUrl: string;
    /** How its program is called where it was started */
    program: string;
    /** Its clock, in epoch milliseconds */
    now: number;
  };
}

interface MissingPermission {
  action: string;
  resource: string;
}

export interface OneSidedLine {
  /** Without what differs from run to run: `<n>`, `<url>`, `<id>`, `<time>` */
  text: string;
  count: number;
  /** Of the first such line in its log */
  number: number;
  /** As it was printed */
  example: string;
  level?: 'DEBUG' | 'INFO' | 'WARN' | 'ERROR';
}

export interface OpenCounts {
  /** Without pull requests; absent where these are too many to be counted */
  issues?: number;
  pulls: number;
  /** Whether there are more than were counted */
  hasMorePulls: boolean;
}

export interface OwnApp {
  id: number;
  slug: string;
  name: string;
  description?: string;
  /** Whether others than the owner can install it */
  isPublic: boolean;
  permissions: Record<string, 'read' | 'write' | 'admin'>;
  /** Those that its webhook receives */
  events: string[];
  /** Of which no more than 1000 are counted */
  installations: number;
  /** In epoch milliseconds */
  createdAt: number;
  /** Where its owner changes it: a path of this server, for browsers */
  settingsPath: string;
  /** What everybody sees, and where it is installed: a path of this server, for browsers */
  page: string;
}

interface PlannedConflict {
  id: string;
  /** `scheduled-change` or `approval-request` */
  kind: string;
  reason: string;
}

export interface PreferencePatch {
  theme?: ('system' | 'light' | 'dark') | null;
  timeZone?: string | null;
  hasKeys?: boolean | null;
  isRailNarrow?: boolean | null;
  client?: string | null;
  dismissed?: string[] | null;
  tables?: Record<
    string,
    {
      columns?: string[];
      widths?: Record<string, number>;
      /** Columns that stay in view while the others are scrolled */
      pinned?: string[];
      density?: 'compact' | 'default';
    }
  > | null;
  pinnedActors?: string[] | null;
  views?: Record<
    string,
    {
      name: string;
      /** Of the address of the list, without a question mark */
      query: string;
    }[]
  > | null;
}

export interface Preferences {
  theme?: 'system' | 'light' | 'dark';
  /** A name such as `Europe/Vienna`; absent, that of the browser */
  timeZone?: string;
  /** Whether single keys do something */
  hasKeys?: boolean;
  isRailNarrow?: boolean;
  /** The client that examples are shown for */
  client?: string;
  /** Hints that were put away */
  dismissed?: string[];
  tables?: Record<
    string,
    {
      columns?: string[];
      widths?: Record<string, number>;
      /** Columns that stay in view while the others are scrolled */
      pinned?: string[];
      density?: 'compact' | 'default';
    }
  >;
  /** The ids of Actors that home shows, in their order */
  pinnedActors?: string[];
  /** Filters of lists that were given a name */
  views?: Record<
    string,
    {
      name: string;
      /** Of the address of the list, without a question mark */
      query: string;
    }[]
  >;
}

interface QueueError {
  /** Without numbers, addresses, ids and times */
  text: string;
  /** As a request has it */
  example: string;
  count: number;
}

export interface RecordHead {
  key: string;
  /** In bytes, as it is stored */
  size: number;
  contentType: string;
  /** Changes with every write; for the header `If-Match` of the next one */
  etag: string;
  /** In epoch milliseconds */
  updatedAt: number;
}

export interface RecoveryCodes {
  /** Each replaces a code once. Nothing shows them again */
  recoveryCodes: string[];
}

export interface RefusedCall {
  api: string;
  /** Of the rate limits that the calls counted against */
  category: string;
  /** Absent at paths that have none, and for those beyond the number that is counted one by one */
  operation?: string;
  method?: string;
  /** With its parameters in braces */
  path?: string;
  /** As the reply named it */
  requestId: string;
  /** In epoch milliseconds */
  at: number;
  token: { id: string; name: string; ending: string };
}

export interface RepositoryStanding {
  /** Absent without `viewWatches` */
  isWatched?: boolean;
  /** Absent without `viewStars` */
  isStarred?: boolean;
  /** Your Actors that are built from it, by its present name, those that ran last first. Of your versions from git, the first 1000 are looked at. */
  actors: BuiltActor[];
}

export interface RepositorySummary {
  /** Of the repository */
  id: number;
  /** Of the default branch, most bytes first */
  languages: { name: string; bytes: number }[];
  /** Your Actors that are built from it */
  actors: BuiltActor[];
}

interface Request {
  id: string;
  uniqueKey: string;
  url: string;
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE' | 'CONNECT' | 'OPTIONS' | 'TRACE' | 'PATCH';
  retryCount?: number;
  loadedUrl?: string | null;
  payload?: string | Record<string, unknown> | null;
  headers?: Record<string, unknown> | null;
  userData?: Record<string, unknown>;
  noRetry?: boolean | null;
  errorMessages?: string[] | null;
  handledAt?: string | null;
  lockByClient?: string;
  lockExpiresAt?: string;
}

interface RunChoice {
  value: string;
  count: number;
}

export interface RunComparison {
  before: ComparedRun;
  after: ComparedRun;
  /** What is different in the input */
  input: {
    isSame: boolean;
    /** The first 200; secrets are left out */
    differences: JsonDifference[];
    total: number;
    /** Why the inputs cannot be compared: `isSame` is then false */
    reason?: string;
  };
  /** What is different in the options */
  options: JsonDifference[];
  counts: {
    items: {
      /** Absent where it is not known */
      before?: number;
      /** Absent where it is not known */
      after?: number;
    };
    requests: {
      /** Absent where it is not known */
      before?: number;
      /** Absent where it is not known */
      after?: number;
    };
    handledRequests: {
      /** Absent where it is not known */
      before?: number;
      /** Absent where it is not known */
      after?: number;
    };
    durationMs: {
      /** Absent where it is not known */
      before?: number;
      /** Absent where it is not known */
      after?: number;
    };
    memoryMaxBytes: {
      /** Absent where it is not known */
      before?: number;
      /** Absent where it is not known */
      after?: number;
    };
    cpuAvgUsage: {
      /** Absent where it is not known */
      before?: number;
      /** Absent where it is not known */
      after?: number;
    };
    restarts: {
      /** Absent where it is not known */
      before?: number;
      /** Absent where it is not known */
      after?: number;
    };
    migrations: {
      /** Absent where it is not known */
      before?: number;
      /** Absent where it is not known */
      after?: number;
    };
  };
  /** The names of fields that the items of only one of the runs have */
  output: {
    /** At most 200 */
    added: string[];
    /** At most 200 */
    missing: string[];
    common: number;
    /** False where a dataset is gone, or may not be viewed */
    isKnown: boolean;
  };
  log: {
    /** Lines that the log before does not have, the most severe and frequent first; at most 100 */
    added: OneSidedLine[];
    /** Lines that only the log before has */
    missing: OneSidedLine[];
    addedTotal: number;
    missingTotal: number;
    /** A log has more different lines than are compared */
    isPartial: boolean;
  };
}

export interface RunFlagList {
  /** The last read first */
  items: FlagReadByRun[];
  /** Values of flags in projects that the caller may not view, in environments that are gone, and in more than 20 of them */
  hidden: number;
  /** Reads of further values: at most 500 of a run are told apart */
  further: number;
  /** How many days after the last read they are kept */
  keptDays: number;
}

interface RunShort {
  id: string;
  actId: string;
  userId: string;
  actorTaskId: string | null;
  startedAt: string;
  finishedAt: string | null;
  status: 'READY' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMING-OUT' | 'TIMED-OUT' | 'ABORTING' | 'ABORTED';
  meta: {
    origin:
      | 'DEVELOPMENT'
      | 'WEB'
      | 'API'
      | 'SCHEDULER'
      | 'TEST'
      | 'WEBHOOK'
      | 'ACTOR'
      | 'CLI'
      | 'CI'
      | 'STANDBY';
    clientIp?: string | null;
    userAgent?: string | null;
    scheduleId?: string;
    scheduledAt?: string;
  };
  buildId: string;
  buildNumber: string;
  buildNumberInt: number;
  defaultKeyValueStoreId: string;
  defaultDatasetId: string;
  defaultRequestQueueId: string;
  usageTotalUsd: number;
}

export interface ScannedAlert {
  repository: { owner: string; name: string };
  /** In its repository */
  number: number;
  state: 'open' | 'dismissed' | 'fixed';
  rule: { id: string; description: string };
  /** What is known about the danger, or else what the tool calls it */
  severity: 'low' | 'medium' | 'high' | 'critical' | 'none' | 'note' | 'warning' | 'error';
  tool: string;
  /** Absent where it is in no file */
  path?: string;
  line?: number;
  /** In epoch milliseconds */
  createdAt: number;
}

export interface SearchItem {
  kind:
    | 'flag'
    | 'segment'
    | 'project'
    | 'environment'
    | 'actor'
    | 'run'
    | 'build'
    | 'task'
    | 'schedule'
    | 'dataset'
    | 'key-value-store'
    | 'request-queue'
    | 'repository'
    | 'issue'
    | 'pull'
    | 'gist'
    | 'member'
    | 'team'
    | 'token'
    | 'operation'
    | 'guide';
  id: string;
  /** What a person calls it */
  title: string;
  /** One short line: its key, where it is, its status */
  detail: string;
  /** Of its page, below `/console/`; that of documentation begins with a slash, and is below the root of the server */
  path: string;
  /** Its specifier in policies and in the activity */
  resource?: string;
  /** When it last changed, or began, in epoch milliseconds */
  at?: number;
  /** Whether the query is its id, key, number or address */
  isExact?: boolean;
}

export interface SearchResult {
  items: SearchItem[];
}

export interface SecondFactor {
  isActive: boolean;
  /** In epoch milliseconds */
  since?: number;
  /** How many of them are left */
  recoveryCodes: number;
}

export interface SecondFactorSecret {
  /** In base32, for apps that it is typed into */
  secret: string;
  /** The same as `otpauth:` address, for a picture that apps read */
  address: string;
}

export interface Session {
  id: string;
  /** Whether this call came with it */
  isCurrent: boolean;
  /** In epoch milliseconds */
  createdAt: number;
  /** In epoch milliseconds */
  seenAt?: number;
  /** In epoch milliseconds */
  expiresAt: number;
  /** Where it was opened */
  address?: string;
  /** The browser, as it names itself */
  agent?: string;
}

export interface SettingInForce {
  /** In the settings file */
  name: string;
  /** Absent for secrets, which no command line may have */
  flag?: string;
  /** The environment variable */
  env: string;
  description: string;
  /** The value of a secret is never shown */
  isSecret: boolean;
  /** Whether it has a value, a default included */
  isSet: boolean;
  /** As on a command line, with passwords masked; absent for secrets */
  value?: string;
  /** What holds without it, as a value or in words */
  default: string;
  /** Where the value comes from; `call` is one that was changed since the start */
  source: 'default' | 'file' | 'environment' | 'flag' | 'call';
}

export interface SnoozedItem {
  /** The same for as long as the cause is; for snoozing */
  id: string;
  kind:
    | 'approval'
    | 'review'
    | 'failed-runs'
    | 'expired-locks'
    | 'webhook'
    | 'rate-limit'
    | 'paused'
    | 'late-work'
    | 'disk'
    | 'scheduled-change'
    | 'token'
    | 'version'
    | 'removable-flags';
  /** `waiting`: somebody waits for the caller; `failing`: something fails; `coming`: it comes soon */
  urgency: 'waiting' | 'failing' | 'coming';
  title: string;
  /** Why it needs attention, in one sentence */
  reason: string;
  /** When it happened last, or will happen, in epoch milliseconds */
  at: number;
  /** How often */
  count?: number;
  action: {
    label: string;
    /** Of the page where it is done, below `/console/` */
    path: string;
  };
  until: number;
}

export interface SpendingRoute {
  api: string;
  /** Of the rate limits that the calls counted against */
  category: string;
  /** Absent at paths that have none, and for those beyond the number that is counted one by one */
  operation?: string;
  method?: string;
  /** With its parameters in braces */
  path?: string;
  calls: number;
  /** Of these calls, those over a rate limit */
  refused: number;
}

interface Statement {
  effect: 'allow' | 'deny';
  actions?: string[];
  notActions?: string[];
  resources?: string[];
  notResources?: string[];
}

export interface StoreFigures {
  items: {
    id: string;
    /** That have ended, the newest */
    runs: number;
    succeeded: number;
    medianDurationMs: number | null;
  }[];
}

export interface System {
  release: string;
  node: { version: string; platform: string; arch: string };
  /** in epoch milliseconds */
  startedAt: number;
  /** Since when it waits for `POST /system/resume` after a restore, in epoch milliseconds */
  pausedSince?: number;
  uptimeSeconds: number;
  memory: {
    /** That the process holds */
    rss: number;
    /** Of live objects */
    heapUsed: number;
    /** Of the container; absent where there is none */
    limit?: number;
  };
  eventLoop?: {
    /** How late it is in the worst one of a hundred cases since the start */
    p99Ms: number;
  };
  database: {
    /** Of the engine, as people write it */
    name: string;
    engine: 'sqlite' | 'postgres';
    version: string;
    /** On disk, without a journal */
    bytes: number;
    /** That this node has executed since its start */
    statements: number;
    /** How long one of them took on average */
    meanMs: number;
    /** Of the pool of this node; absent where there is none */
    connections?: {
      /** All of them */
      open: number;
      /** Those that are free */
      idle: number;
      /** Calls that wait for one */
      waiting: number;
    };
  };
  /** The file system of the data folder; absent where it is not watched */
  disk?: { freeBytes: number; totalBytes: number };
  /** What takes room on the disks of the node that answers, and until when that is enough */
  diskUse: {
    /** Empty until it was measured for the first time */
    kinds: {
      /** Such as the database, large objects, repositories, backups */
      kind: string;
      bytes: number;
      /** When it was measured, in epoch milliseconds */
      at: number;
    }[];
    disks: {
      /** What is on this file system */
      names: string;
      totalBytes: number;
      freeBytes: number;
      /** By which more is used from day to day; absent in the first hours */
      bytesPerDay?: number;
      /** When it is full if it goes on like this; absent if that takes years, in epoch milliseconds */
      fullAt?: number;
    }[];
  };
  /** Where large objects are */
  objects: { kind: 'folder' | 's3' };
  /** Those that do background work, and this one; the last seen first, at most 100 */
  nodes: {
    id: string;
    /** Whether it answers calls is known of this one alone */
    roles: ('api' | 'worker')[];
    /** in epoch milliseconds */
    seenAt: number;
    /** Whether it answers this call */
    isSelf: boolean;
  }[];
  /** By kind, of the work that is due first */
  dueWork: {
    kind: string;
    /** Those that nobody works on */
    waiting: number;
    /** Those that are worked on */
    running: number;
    /** Those that should have begun more than a minute ago */
    late: number;
    /** When the first of the late ones was due, in epoch milliseconds */
    oldestAt?: number;
    /** Those that have failed, and are tried again */
    failed: number;
    /** Why one of them has failed */
    lastError?: string;
  }[];
  /** False where more waits than was counted */
  isDueWorkComplete: boolean;
  /** No count is above 1000, and given up ones are looked for among the last 1000 that ended */
  webhooks: {
    /** Deliveries that wait */
    pending: number;
    /** Those of them that have failed at least once */
    retrying: number;
    /** Deliveries that were given up in the last day */
    failing: number;
  };
  /** Of Actors, of all accounts, that have not ended */
  runs: {
    status:
      | 'READY'
      | 'RUNNING'
      | 'SUCCEEDED'
      | 'FAILED'
      | 'TIMING-OUT'
      | 'TIMED-OUT'
      | 'ABORTING'
      | 'ABORTED';
    /** At most 2000 together */
    count: number;
  }[];
  /** Processes of git that move data on this node */
  git: {
    /** Clones, fetches and pushes */
    transfers: number;
    /** Of archives and files */
    downloads: number;
    /** Those of both that wait */
    waiting: number;
  };
  /** That are open */
  streams: {
    /** Of clients of flags */
    flags: number;
    /** Of changes */
    changes: number;
  };
  /** Rate limits */
  limits: { isEnabled: boolean };
  logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
  /** What is wrong, or could be */
  checks: SystemCheck[];
}

export interface SystemCheck {
  name: string;
  state: 'ok' | 'warn' | 'bad';
  /** What was found */
  text: string;
  /** What to do */
  advice?: string;
  /** A command on the server that tells more */
  command?: string;
}

export interface Today {
  /** The beginning of the day, in epoch milliseconds */
  since: number;
  /** Of flags, as SDKs report them, in the projects that the caller may view; absent where there are too many rows to add up */
  evaluations?: number;
  /** Of the caller's account that began today */
  runs: number;
  /** With the caller's own tokens, from the beginning of the hour in which the day began */
  apiCalls: number;
}

export interface TokenTask {
  id: string;
  title: string;
  description: string;
  /** The API that it is about */
  api: 'flags' | 'actors' | 'host' | 'all';
  /** Names that stand in braces in the resources, to be filled in; `*` stands for all */
  parameters: string[];
  inlinePolicy: {
    effect: 'allow' | 'deny';
    actions: string[];
    /** With parameters in braces: `proj/{project}` */
    resources: string[];
  }[];
}

export interface TokenUsage {
  hours: {
    /** When the hour began, in epoch milliseconds */
    at: number;
    api: string;
    /** Of the rate limits that the calls counted against */
    category: string;
    calls: number;
    /** Of these calls, those over a rate limit */
    refused: number;
  }[];
}

export interface TokenUse {
  id: string;
  name: string;
  /** The last characters of its secret */
  ending: string;
  isService: boolean;
  /** The owner, or who created a service token; absent where they were removed */
  member?: { id: string; username: string; email: string };
  /** A base role */
  role?: string;
  /** Keys or ids of custom roles */
  customRoles: string[];
  /** Whether it has statements of its own */
  inlinePolicy: boolean;
  /** What it may do, in words: `reads`, `3 statements` */
  scope: string;
  /** In epoch milliseconds */
  createdAt: number;
  /** In epoch milliseconds */
  expiresAt?: number;
  lastUse?: {
    /** In epoch milliseconds */
    at: number;
    /** For its owner, and for those who may delete it */
    address?: string;
    api?: string;
    /** The id of the operation that was called */
    operation?: string;
  };
}

interface TouchedFlag {
  /** Its key */
  flag: string;
  name: string;
  /** The keys of the environments where it is so */
  environments: string[];
}

export interface WebhookDelivery {
  /** The same for every attempt; receivers see it in X-Signalbox-Delivery */
  id: string;
  webhookId: string;
  isTest: boolean;
  /** The audit entry that it is; absent for a test */
  entryId?: string;
  state: 'pending' | 'delivered' | 'failed';
  attempts: number;
  createdAt: number;
  nextAttemptAt?: number;
  finishedAt?: number;
  /** Of the last answer */
  status?: number;
  /** Why the last attempt failed */
  error?: string;
}

export interface WebhookDeliveryDetail {
  /** The same for every attempt; receivers see it in X-Signalbox-Delivery */
  id: string;
  webhookId: string;
  isTest: boolean;
  /** The audit entry that it is; absent for a test */
  entryId?: string;
  state: 'pending' | 'delivered' | 'failed';
  attempts: number;
  createdAt: number;
  nextAttemptAt?: number;
  finishedAt?: number;
  /** Of the last answer */
  status?: number;
  /** Why the last attempt failed */
  error?: string;
  /** Only for who may see the audit entry that it is */
  body?: string;
  history: {
    phases?: AttemptPhases;
    number: number;
    at: number;
    durationMs: number;
    status?: number;
    error?: string;
    /** The first bytes of the answer; only with the body, which it may repeat */
    response?: string;
  }[];
}
