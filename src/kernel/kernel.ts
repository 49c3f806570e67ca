// The services that handlers get beside the call; app.ts creates them once.
import type { BodyMemory } from './http/body/body-memory.ts';
import type { Changes } from './change/changes.ts';
import type { Clock } from './clock.ts';
import type { EndMember, TransferOwnership } from './identity/store-accounts.ts';
import type { Identity } from './identity/identity.ts';
import type { TokenUseCounter } from './identity/token-uses/token-uses.ts';
import type { ContentOrigin } from './http/content-origin.ts';
import type { KeptReplies } from './http/reply/kept-replies.ts';
import type { Limits } from './limits/limits.ts';
import type { Logger } from './observability/log.ts';
import type { Metrics } from './observability/metrics.ts';
import type { SecondaryLimits } from './limits/secondary-limits.ts';
import type { SecretKeeper } from './secrets/secret-box.ts';
import type { BlobStore } from './storage/blobs/blob.ts';
import type { DiskSpace } from './storage/disk/disk-space.ts';
import type { Engine } from './storage/engine.ts';
import type { Db } from './storage/tables.ts';
import type { VersionUsage } from './versions/usage/version-usage.ts';
import type { Guard } from './network/guard.ts';

/** Settings of parts of APIs. Each part adds its own by declaration merging; app.ts fills them in. */
export interface Settings {}

/** In-memory state of APIs, one per server. Each API adds its own by declaration merging and creates it at start. */
export interface Services {}

export interface Kernel {
  readonly clock: Clock;
  readonly engine: Engine;
  /** The engine's database, by its short name. */
  readonly db: Db;
  /**
   * Set where the reply is kept until rows change that `db` has read for it: what other caches hold is then read from `db`, since
   * they may be older.
   */
  readonly isKeepingReply?: true;
  /** The one way to change configuration. */
  readonly changes: Changes;
  readonly blobs: BlobStore;
  /** The file systems that the server writes to. */
  readonly disk: DiskSpace;
  /** Encrypts what the database must not have in clear. */
  readonly secrets: SecretKeeper;
  readonly identity: Identity;
  /** Counts the calls of tokens. */
  readonly tokenUses: TokenUseCounter;
  /** Transfers what an account owns, in every API. */
  readonly transferOwnership: TransferOwnership;
  /** Ends what must not outlive a removed member, in every API. */
  readonly endMember: EndMember;
  /** The accounts whose audit entries an account may see beside its own, in every API. */
  readonly auditedAccounts: (db: Db, accountId: string) => Promise<string[]>;
  readonly services: Services;
  readonly limits: Limits;
  /** Counts the calls that newer versions would change. */
  readonly versionUsage: VersionUsage;
  readonly secondaryLimits: SecondaryLimits;
  readonly bodyMemory: BodyMemory;
  readonly keptReplies: KeptReplies;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Says which URLs the server may call. */
  readonly guard: Guard;
  /** Where people and clients reach this server, without a slash at the end. */
  readonly publicUrl: string;
  /** Where content of users is served; undefined where it shares the origin of the console. */
  readonly contentOrigin: ContentOrigin | undefined;
  /**
   * Whether a session needs its second secret: wherever programs may listen on other ports of this host, since browsers send
   * cookies to all ports. Asked by calls with a session only.
   */
  isPageSecretRequired(): boolean | Promise<boolean>;
  readonly settings: Readonly<Settings>;
  /** This program's own version. */
  readonly release: string;
  /** How it was started, for hints that name its commands. */
  readonly program: string;
}
