// The list of all settings, with their documentation.
import { resolve } from 'node:path';
import type { Quota } from '../kernel/limits/window.ts';
import { LOG_LEVELS, type LogLevel } from '../kernel/observability/log-level.ts';
import {
  folderOrBucket,
  integer,
  issuer,
  list,
  oneOf,
  originUrl,
  publicUrl,
  text,
  url,
  yesOrNo,
  quotas,
} from './setting.ts';

export interface Config {
  port: number;
  host: string;
  data: string;
  database?: string;
  blobs?: string;
  s3AccessKey?: string;
  s3SecretKey?: string;
  s3SessionToken?: string;
  backups?: string;
  backupHours: number;
  backupDays: number;
  backupPassphrase?: string;
  upgradeBackup: boolean;
  migrate: boolean;
  publicUrl?: string;
  contentUrl?: string;
  adminToken?: string;
  adminPassword?: string;
  adminEmail: string;
  limits: 'on' | 'off';
  limit: Record<string, Quota>;
  secondaryLimitConcurrent: number;
  secondaryLimitPoints: number;
  secondaryLimitGraphql: number;
  secondaryLimitContentMinute: number;
  secondaryLimitContentHour: number;
  hostLimitStatus: '403' | '429';
  eventsPerSecond: number;
  allowPrivateWebhooks: boolean;
  organizationsByMembers: boolean;
  retentionDays: number;
  runCallsDays: number;
  auditDays: number;
  deliveryDays: number;
  eventDays: number;
  evaluationDays: number;
  usageDays: number;
  recordBytes: number;
  streamsPerAddress: number;
  streamsPerEnvironment: number;
  streamsPerNode: number;
  streamHeartbeat: number;
  role: 'all' | 'api' | 'worker';
  work?: string;
  repositories?: string;
  /** The largest pack that a push to a repository may have. */
  maxPushBytes: number;
  /** How many bytes the objects of a repository may have when they are inflated, beside a ratio to its size. */
  maxInflatedBytes: number;
  diskReserve: number;
  actorsUnsandboxed: boolean;
  actorIsolation?: 'bubblewrap' | 'uid' | 'none';
  actorNetwork?: 'private' | 'host' | 'none';
  nodeUrl?: string;
  nodeMemory?: number;
  nodeRuns?: number;
  accountMemory: number;
  accountRuns: number;
  secretKey?: string;
  secretKeyOld?: string;
  secretKeyFile?: string;
  secretKeyCommand?: string;
  demo: boolean;
  passwordLength: number;
  oidcIssuer?: string;
  oidcClientId?: string;
  oidcClientSecret?: string;
  oidcName?: string;
  oidcNewMembers: 'off' | 'reader' | 'writer';
  tlsCert?: string;
  tlsKey?: string;
  trustProxy: string[];
  logLevel: LogLevel;
  metricsToken?: string;
}

export type SettingName = keyof Config;

export interface Setting<Value = unknown> {
  /** The name of its environment variable. */
  env: string;
  describe: string;
  /** Converts the text to the value, or throws a message that says which values are accepted. */
  read(text: string): Value;
  /** The default value, as text. */
  default?: string;
  /** The default behaviour, where it is not a plain value. */
  otherwise?: string;
  /** Only from the environment: elsewhere it would be visible in process lists, shell histories and files. */
  isSecret?: boolean;
  /** It may contain a password, so errors do not show the value. */
  mayHoldPassword?: boolean;
}

export const SETTINGS: { [Name in SettingName]-?: Setting<Config[Name]> } = {
  port: {
    env: 'PORT',
    describe: 'The port to listen on; 0 takes any free one',
    read: integer(0, 65_535),
    default: '8080',
    otherwise: '8080, or the next free one',
  },
  host: { env: 'HOST', describe: 'The address to listen on', read: text, default: '127.0.0.1' },
  data: {
    env: 'SIGNALBOX_DATA',
    describe: 'The folder for everything that is kept',
    read: (path) => resolve(path),
    default: './data',
  },
  database: {
    env: 'DATABASE_URL',
    describe: 'The PostgreSQL database to use',
    read: url('postgres:', 'postgresql:'),
    otherwise: 'a SQLite file in the data folder',
    mayHoldPassword: true,
  },
  blobs: {
    env: 'SIGNALBOX_BLOBS',
    describe: 'The folder for large objects, or s3://bucket/prefix?endpoint=https://…&region=…',
    read: folderOrBucket,
    otherwise: 'a folder in the data folder',
  },
  s3AccessKey: {
    env: 'AWS_ACCESS_KEY_ID',
    describe: 'The access key for large objects in object storage',
    read: text,
    isSecret: true,
  },
  s3SecretKey: {
    env: 'AWS_SECRET_ACCESS_KEY',
    describe: 'The secret that belongs to the access key',
    read: text,
    isSecret: true,
  },
  s3SessionToken: {
    env: 'AWS_SESSION_TOKEN',
    describe: 'The token that belongs to keys which are good for a while only',
    read: text,
    isSecret: true,
  },
  backups: {
    env: 'SIGNALBOX_BACKUPS',
    describe:
      'The folder for the backups that the server makes, best on another disk, or s3://bucket/prefix?endpoint=https://…&region=…',
    read: folderOrBucket,
    otherwise: 'a folder in the data folder',
  },
  backupHours: {
    env: 'SIGNALBOX_BACKUP_HOURS',
    describe: 'After how many hours the server makes another backup; 0 for none by itself',
    read: integer(0, 8760),
    default: '0',
  },
  backupDays: {
    env: 'SIGNALBOX_BACKUP_DAYS',
    describe:
      'How many days the backups that the server makes are kept, and the newest for ever; 0 keeps all',
    read: integer(0, 36_500),
    default: '30',
  },
  backupPassphrase: {
    env: 'SIGNALBOX_BACKUP_PASSPHRASE',
    describe:
      'Encrypts the backups that the server makes, which then have the secret key; at least 12 characters',
    read: (value) => {
      if (value.length < 12) throw new Error('at least 12 characters long');
      return value;
    },
    otherwise: 'none; they are not encrypted',
    isSecret: true,
  },
  upgradeBackup: {
    env: 'SIGNALBOX_UPGRADE_BACKUP',
    describe: 'Whether the rows of a SQLite database are backed up before an upgrade changes them',
    read: yesOrNo,
    default: '1',
  },
  migrate: {
    env: 'SIGNALBOX_MIGRATE',
    describe: 'Whether the server upgrades its database when it starts; else that takes `migrate up`',
    read: yesOrNo,
    default: '1',
  },
  publicUrl: {
    env: 'SIGNALBOX_PUBLIC_URL',
    describe:
      'Where people and clients reach this server; behind a proxy also below a path, like https://example.org/box',
    read: publicUrl,
    otherwise: 'from host and port',
  },
  contentUrl: {
    env: 'SIGNALBOX_CONTENT_URL',
    describe:
      'Another origin that leads to this server, like https://content.example.org, from which browsers get records, files, exports and standby pages',
    read: originUrl,
    otherwise: 'the same origin, in a sandbox',
  },
  adminToken: {
    env: 'SIGNALBOX_ADMIN_TOKEN',
    describe: "The administrator's access token, at least 16 characters",
    read: (value) => {
      if (value.length < 16 || /\s/.test(value)) throw new Error('at least 16 characters, without spaces');
      return value;
    },
    otherwise: 'made at first start and printed once',
    isSecret: true,
  },
  adminPassword: {
    env: 'SIGNALBOX_ADMIN_PASSWORD',
    describe: "The administrator's password for logging in from a browser, at least 10 characters",
    read: (value) => {
      if (value.length < 10) throw new Error('at least 10 characters long');
      return value;
    },
    otherwise: 'none; the login link works',
    isSecret: true,
  },
  adminEmail: {
    env: 'SIGNALBOX_ADMIN_EMAIL',
    describe: "The administrator's e-mail address, taken at first start",
    read: text,
    default: 'admin@signalbox.example',
  },
  limits: {
    env: 'SIGNALBOX_LIMITS',
    describe: 'Whether rate limits are on or off',
    read: oneOf(['on', 'off']),
    default: 'on',
  },
  limit: {
    env: 'SIGNALBOX_LIMIT',
    describe:
      'Other quotas than the usual, like host.core=5000:60/3600: calls with and without a token, and seconds',
    read: quotas,
    default: '',
  },
  secondaryLimitConcurrent: {
    env: 'SIGNALBOX_SECONDARY_LIMIT_CONCURRENT',
    describe:
      'How many calls of the host API one caller may have unanswered on a node at the same time; 0 for any',
    read: integer(0, 1_000_000),
    default: '100',
  },
  secondaryLimitPoints: {
    env: 'SIGNALBOX_SECONDARY_LIMIT_POINTS',
    describe:
      'How many points per minute one caller has on a node for one endpoint of the host API: a read costs 1, a change 5; 0 for any',
    read: integer(0, 1_000_000_000),
    default: '900',
  },
  secondaryLimitGraphql: {
    env: 'SIGNALBOX_SECONDARY_LIMIT_GRAPHQL',
    describe:
      'How many points per minute one caller has on a node for GraphQL: a query costs 1, a change 5; 0 for any',
    read: integer(0, 1_000_000_000),
    default: '2000',
  },
  secondaryLimitContentMinute: {
    env: 'SIGNALBOX_SECONDARY_LIMIT_CONTENT_MINUTE',
    describe:
      'How many calls of the host API that create something one caller may make on a node per minute; 0 for any',
    read: integer(0, 1_000_000_000),
    default: '80',
  },
  secondaryLimitContentHour: {
    env: 'SIGNALBOX_SECONDARY_LIMIT_CONTENT_HOUR',
    describe: 'The same per hour; 0 for any',
    read: integer(0, 1_000_000_000),
    default: '500',
  },
  hostLimitStatus: {
    env: 'SIGNALBOX_HOST_LIMIT_STATUS',
    describe:
      'The status of calls of the host API over a limit: 403, which all its clients recognise, or 429 like everywhere else',
    read: oneOf(['403', '429']),
    default: '403',
  },
  eventsPerSecond: {
    env: 'SIGNALBOX_EVENTS_PER_SECOND',
    describe: 'How many events per second this node takes from the SDKs of one environment',
    read: integer(1, 1_000_000_000),
    default: '20000',
  },
  allowPrivateWebhooks: {
    env: 'SIGNALBOX_ALLOW_PRIVATE_WEBHOOKS',
    describe: 'Whether webhooks may go to loopback and private addresses',
    read: yesOrNo,
    default: '0',
  },
  organizationsByMembers: {
    env: 'SIGNALBOX_ORGANIZATIONS_BY_MEMBERS',
    describe: 'Whether every member may create organizations, not only administrators',
    read: yesOrNo,
    default: '0',
  },
  demo: {
    env: 'SIGNALBOX_DEMO',
    describe: 'Whether to make an example of everything, where there is none yet',
    read: yesOrNo,
    default: '0',
  },
  retentionDays: {
    env: 'SIGNALBOX_RETENTION_DAYS',
    describe:
      'How many days unnamed storages are kept after their last use, and runs and builds after their end, unless their account says otherwise',
    read: integer(1, 36_500),
    default: '7',
  },
  runCallsDays: {
    env: 'SIGNALBOX_RUN_CALLS_DAYS',
    describe:
      'How many days the counts of API calls that a run has made, and of flags that it has read, are kept after the last of them; they go with the run, too',
    read: integer(1, 36_500),
    default: '30',
  },
  auditDays: {
    env: 'SIGNALBOX_AUDIT_DAYS',
    describe: 'How many days entries of the audit log are kept; 0 for ever',
    read: integer(0, 36_500),
    default: '0',
  },
  deliveryDays: {
    env: 'SIGNALBOX_DELIVERY_DAYS',
    describe: 'How many days deliveries of webhooks are kept after their end',
    read: integer(1, 36_500),
    default: '7',
  },
  eventDays: {
    env: 'SIGNALBOX_EVENT_DAYS',
    describe: 'How many days feeds of the host go back',
    read: integer(1, 36_500),
    default: '90',
  },
  evaluationDays: {
    env: 'SIGNALBOX_EVALUATION_DAYS',
    describe: 'How many days the counts of flag evaluations are kept',
    read: integer(3, 36_500),
    default: '60',
  },
  usageDays: {
    env: 'SIGNALBOX_USAGE_DAYS',
    describe: 'How many days the daily usage of Actors is kept, at least that of the last month; 0 for ever',
    read: (value) => {
      const days = integer(0, 36_500)(value);
      if (days > 0 && days < 62) throw new Error('0 or a whole number from 62 to 36500');
      return days;
    },
    default: '0',
  },
  recordBytes: {
    env: 'SIGNALBOX_RECORD_BYTES',
    describe: 'The most bytes of one record of a key-value store',
    read: integer(1, Number.MAX_SAFE_INTEGER),
    default: String(5 * 1024 ** 3),
  },
  streamsPerAddress: {
    env: 'SIGNALBOX_STREAMS_PER_ADDRESS',
    describe:
      'How many streams of flags one address may have open on a node. Behind a proxy, set --trust-proxy too: else all clients have its address',
    read: integer(1, 1_000_000),
    default: '1000',
  },
  streamsPerEnvironment: {
    env: 'SIGNALBOX_STREAMS_PER_ENVIRONMENT',
    describe: 'How many streams of flags may be open on a node for one environment',
    read: integer(1, 1_000_000),
    default: '10000',
  },
  streamsPerNode: {
    env: 'SIGNALBOX_STREAMS_PER_NODE',
    describe: 'How many streams of flags may be open on a node',
    read: integer(1, 1_000_000),
    default: '20000',
  },
  streamHeartbeat: {
    env: 'SIGNALBOX_STREAM_HEARTBEAT',
    describe: 'After how many seconds a stream of flags that has nothing to say sends a sign of life',
    read: integer(1, 170),
    default: '25',
  },
  role: {
    env: 'SIGNALBOX_ROLE',
    describe: 'What this process does: answer calls (api), do waiting work (worker), or all',
    read: oneOf(['all', 'api', 'worker']),
    default: 'all',
  },
  work: {
    env: 'SIGNALBOX_WORK',
    describe: 'The folder for builds of Actors and the working folders of their runs',
    read: (path) => resolve(path),
    otherwise: 'a folder in the data folder, or as root beside it',
  },
  repositories: {
    env: 'SIGNALBOX_REPOSITORIES',
    describe: 'The folder for git repositories; several nodes need a file system that they share',
    read: (path) => resolve(path),
    otherwise: 'a folder in the data folder',
  },
  maxPushBytes: {
    env: 'SIGNALBOX_MAX_PUSH_BYTES',
    describe: 'The most bytes that a push to a git repository may have',
    read: integer(1024 ** 2, 1024 ** 4),
    default: String(2 * 1024 ** 3),
  },
  maxInflatedBytes: {
    env: 'SIGNALBOX_MAX_INFLATED_BYTES',
    describe:
      'The most bytes that the objects of a git repository may have when they are inflated, beside 256 for each byte on disk',
    read: integer(1024 ** 3, 1024 ** 5),
    default: String(64 * 1024 ** 3),
  },
  diskReserve: {
    env: 'SIGNALBOX_DISK_RESERVE',
    describe:
      'How many megabytes of disk are kept for deletions, on a small disk less: with less than that free a run is ended, with four times as much none starts; 0 for none',
    read: integer(0, 1_000_000),
    default: '64',
  },
  actorsUnsandboxed: {
    env: 'SIGNALBOX_ACTORS_UNSANDBOXED',
    describe: 'Whether Actors may run without a sandbox on a server that others can reach',
    read: yesOrNo,
    default: '0',
  },
  actorIsolation: {
    env: 'SIGNALBOX_ACTOR_ISOLATION',
    describe:
      'The least isolation that Actors may have: bubblewrap, a user of their own (uid), or none; with less they are refused',
    read: oneOf(['bubblewrap', 'uid', 'none']),
    otherwise: 'what the data folder has had before',
  },
  actorNetwork: {
    env: 'SIGNALBOX_ACTOR_NETWORK',
    describe:
      'Whether each run has a network of its own (private), shares that of this machine (host), or reaches only this server (none)',
    read: oneOf(['private', 'host', 'none']),
    otherwise: 'private where bubblewrap and slirp4netns work, else host',
  },
  nodeUrl: {
    env: 'SIGNALBOX_NODE_URL',
    describe:
      'Where other nodes of the same database reach this one, for requests to its runs (http or https)',
    read: originUrl,
    otherwise: 'each node serves the runs that it starts itself',
  },
  nodeMemory: {
    env: 'SIGNALBOX_NODE_MEMORY',
    describe: 'The megabytes of memory for all builds and runs of this node together',
    read: integer(128, 1_073_741_824),
    otherwise: "three quarters of the machine's memory",
  },
  nodeRuns: {
    env: 'SIGNALBOX_NODE_RUNS',
    describe: 'How many builds and runs this node executes at the same time',
    read: integer(1, 10_000),
    otherwise: 'four for each processor, at least eight',
  },
  accountMemory: {
    env: 'SIGNALBOX_ACCOUNT_MEMORY',
    describe: 'The megabytes of memory for all unfinished runs of one account together',
    read: integer(128, 1_073_741_824),
    default: '262144',
  },
  accountRuns: {
    env: 'SIGNALBOX_ACCOUNT_RUNS',
    describe: 'How many unfinished runs one account may have',
    read: integer(1, 1_000_000),
    default: '1000',
  },
  secretKey: {
    env: 'SIGNALBOX_SECRET_KEY',
    describe: 'The key that encrypts stored secrets, at least 32 characters; several nodes need the same one',
    read: secretKeyText,
    otherwise: 'made at first start, in a file in the data folder',
    isSecret: true,
  },
  passwordLength: {
    env: 'SIGNALBOX_PASSWORD_LENGTH',
    describe: 'The fewest characters that a new password may have',
    read: integer(8, 128),
    default: '8',
  },
  oidcIssuer: {
    env: 'SIGNALBOX_OIDC_ISSUER',
    describe: 'The issuer of an identity provider (OpenID Connect) by which people log in',
    read: issuer,
    otherwise: 'none',
  },
  oidcClientId: {
    env: 'SIGNALBOX_OIDC_CLIENT_ID',
    describe: 'What the identity provider knows this server by',
    read: text,
    otherwise: 'none',
  },
  oidcClientSecret: {
    env: 'SIGNALBOX_OIDC_CLIENT_SECRET',
    describe: 'The secret that belongs to it',
    read: text,
    otherwise: 'none',
    isSecret: true,
  },
  oidcName: {
    env: 'SIGNALBOX_OIDC_NAME',
    describe: 'What the login calls the identity provider',
    read: text,
    otherwise: 'the host of the issuer',
  },
  oidcNewMembers: {
    env: 'SIGNALBOX_OIDC_NEW_MEMBERS',
    describe:
      'The role of people whom the identity provider knows and this server does not: off (not let in), reader, writer',
    read: oneOf(['off', 'reader', 'writer']),
    default: 'off',
  },
  secretKeyOld: {
    env: 'SIGNALBOX_SECRET_KEY_OLD',
    describe: 'What SIGNALBOX_SECRET_KEY was before it was changed, as long as anything is encrypted with it',
    read: secretKeyText,
    otherwise: 'none',
    isSecret: true,
  },
  secretKeyFile: {
    env: 'SIGNALBOX_SECRET_KEY_FILE',
    describe: 'A file with the key that encrypts stored secrets; with several, the newest on the first line',
    read: (path) => resolve(path),
    otherwise: 'SIGNALBOX_SECRET_KEY, or secret.key in the data folder',
  },
  secretKeyCommand: {
    env: 'SIGNALBOX_SECRET_KEY_COMMAND',
    describe:
      'A command that prints the key that encrypts stored secrets; with several, the newest on the first line',
    read: text,
    otherwise: 'SIGNALBOX_SECRET_KEY, or secret.key in the data folder',
    isSecret: true,
  },
  tlsCert: {
    env: 'SIGNALBOX_TLS_CERT',
    describe: 'The certificate chain for HTTPS, a PEM file',
    read: (path) => resolve(path),
    otherwise: 'plain HTTP',
  },
  tlsKey: {
    env: 'SIGNALBOX_TLS_KEY',
    describe: 'The private key for HTTPS, a PEM file',
    read: (path) => resolve(path),
    otherwise: 'plain HTTP',
  },
  trustProxy: {
    env: 'SIGNALBOX_TRUST_PROXY',
    describe:
      'Addresses or networks of reverse proxies whose X-Forwarded headers are believed, joined by commas',
    read: list,
    default: '',
  },
  logLevel: {
    env: 'SIGNALBOX_LOG_LEVEL',
    describe: `How much to log: ${LOG_LEVELS.join(', ')}`,
    read: oneOf(LOG_LEVELS),
    default: 'info',
  },
  metricsToken: {
    env: 'SIGNALBOX_METRICS_TOKEN',
    describe: 'The token that GET /metrics asks for, at least 16 characters',
    read: (value) => {
      if (value.length < 16 || /\s/.test(value)) throw new Error('at least 16 characters, without spaces');
      return value;
    },
    otherwise: 'none; everybody who reaches the server can read them',
    isSecret: true,
  },
};

function secretKeyText(value: string): string {
  if (value.length < 32) throw new Error('at least 32 characters long');
  return value;
}

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

/** The option of `publicUrl` is `--public-url`. */
export function optionName(name: SettingName): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
