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

export interface ExportEstimate {
  /** How many items are read; unwinding makes more of them, and leaving out empty ones fewer */
  count: number;
  /** About the size of the file */
  bytes: number;
  /** Whether the size was not estimated, because all items were rendered */
  isExact: boolean;
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
    /** Its clock, in epoch milliseconds */
    now: number;
  };
}

interface MissingPermission {
  action: string;
  resource: string;
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
    { columns?: string[]; widths?: Record<string, number>; density?: 'compact' | 'default' }
  > | null;
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
    { columns?: string[]; widths?: Record<string, number>; density?: 'compact' | 'default' }
  >;
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

interface Statement {
  effect: 'allow' | 'deny';
  actions?: string[];
  notActions?: string[];
  resources?: string[];
  notResources?: string[];
}

export interface System {
  release: string;
  node: { version: string; platform: string; arch: string };
  /** in epoch milliseconds */
  startedAt: number;
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
  };
  /** The file system of the data folder; absent where it is not watched */
  disk?: { freeBytes: number; totalBytes: number };
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
