// Standby mode: the settings that an Actor or a task can have, its URLs and the paths of the proxy, and the failures of what is behind it.
import { Failure } from '../../kernel/failure.ts';
import { Nullable, PlainText, Type, type Static } from '../../kernel/schema/schema.ts';

/** A number and nothing else: a larger one cannot be stored. */
const COUNT = { minimum: 0, maximum: 2_147_483_647 };
const Count = Type.Integer(COUNT);
const described = (description: string) => Type.Integer({ ...COUNT, description });

/** A run that has nothing to do lives at least as long. */
const MIN_IDLE_SECS = 5;

const FIELDS = {
  isEnabled: Type.Optional(Nullable(Type.Boolean())),
  desiredRequestsPerActorRun: Type.Optional(
    Nullable(described('0 counts as 1, and one above `maxRequestsPerActorRun` as that')),
  ),
  maxRequestsPerActorRun: Type.Optional(Nullable(described('0 counts as 1'))),
  idleTimeoutSecs: Type.Optional(
    Nullable(described(`Less than ${MIN_IDLE_SECS} counts as ${MIN_IDLE_SECS}`)),
  ),
  build: Type.Optional(Nullable(PlainText({ maxLength: 100 }))),
  memoryMbytes: Type.Optional(Nullable(Count)),
  disableStandbyFieldsOverride: Type.Optional(Nullable(Type.Boolean())),
  shouldPassActorInput: Type.Optional(Nullable(Type.Boolean())),
};

export const Standby = Type.Object(FIELDS, { $id: 'ActorStandby' });
export type StandbySettings = Static<typeof Standby>;

export const STANDBY_FIELDS = Object.keys(FIELDS) as (keyof StandbySettings)[];

/** `name` is that of the Actor or the task. */
export function standbyUrlOf(publicUrl: string, username: string, name: string): string {
  return `${publicUrl}/standby/${username}~${name}`;
}

export interface PoolSettings {
  /** With more requests than this for each run, another run is started. */
  desiredRequests: number;
  /** A run never has more at the same time. */
  maxRequests: number;
  idleMs: number;
  build: string;
  memoryMbytes: number;
  passesInput: boolean;
}

const DEFAULTS = { desired: 3, max: 4, idleSecs: 300, build: 'latest', memoryMbytes: 1024 };

/** Those of a task win over those of its Actor, unless the Actor forbids it. */
export function poolSettingsOf(ofActor: StandbySettings, ofTask?: StandbySettings | null): PoolSettings {
  const overrides = ofActor.disableStandbyFieldsOverride === true ? {} : withoutNulls(ofTask ?? {});
  const standby = { ...withoutNulls(ofActor), ...overrides };
  const maxRequests = Math.max(1, standby.maxRequestsPerActorRun ?? DEFAULTS.max);
  return {
    desiredRequests: Math.min(
      Math.max(1, standby.desiredRequestsPerActorRun ?? DEFAULTS.desired),
      maxRequests,
    ),
    maxRequests,
    idleMs: Math.max(MIN_IDLE_SECS, standby.idleTimeoutSecs ?? DEFAULTS.idleSecs) * 1000,
    build: standby.build ?? DEFAULTS.build,
    memoryMbytes: standby.memoryMbytes ?? DEFAULTS.memoryMbytes,
    passesInput: standby.shouldPassActorInput === true,
  };
}

type Given = { [Key in keyof StandbySettings]?: NonNullable<StandbySettings[Key]> };

function withoutNulls(standby: StandbySettings): Given {
  return Object.fromEntries(Object.entries(standby).filter(([, value]) => value !== null));
}

export interface ProxyTarget {
  /** The first segment below the prefix, decoded. */
  name: string;
  /** The path of the proxy as the client wrote it, without a slash at the end. */
  base: string;
  /** Path and query for the program, without the token. */
  path: string;
}

/** Undefined where the path names nothing. */
export function parseTarget(url: string, prefix: string): ProxyTarget | undefined {
  const [, path = '', query] = /^(?:https?:\/\/[^/?#]*)?([^?#]*)(\?[^#]*)?/i.exec(url) ?? [];
  const [, word = ''] = path.slice(prefix.length).split('/', 2);
  if (word === '') return undefined;
  const base = `${path.slice(0, prefix.length)}/${word}`;
  const rest = path.slice(base.length);
  return { name: decode(word), base, path: (rest === '' ? '/' : rest) + withoutToken(query) };
}

function decode(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}

/** Everything else stays as it was sent, in its order and encoding. */
function withoutToken(query = ''): string {
  if (query.length <= 1) return query;
  const kept = query
    .slice(1)
    .split('&')
    .filter((pair) => !new URLSearchParams(pair).has('token'));
  return kept.length === 0 ? '' : `?${kept.join('&')}`;
}

const RETRY_SECONDS = '5';

export function notInStandbyMode(): Failure {
  return new Failure(
    'invalid',
    'This is not in standby mode. Its owner can turn that on: set actorStandby.isEnabled to true.',
    { code: 'standby-not-enabled' },
  );
}

/** The run has ended, or its program does not answer. */
export function noWebServer(message: string, cause?: unknown): Failure {
  return new Failure('invalid', message, {
    code: 'web-server-not-available',
    headers: { 'retry-after': RETRY_SECONDS },
    ...(cause !== undefined && { cause }),
  });
}

export function webServerTimedOut(message: string): Failure {
  return new Failure('timeout', message, { code: 'web-server-timed-out' });
}

export function tooManyWaiting(count: number): Failure {
  return new Failure(
    'exhausted',
    `${count} requests wait for a run already. Retry in ${RETRY_SECONDS} seconds.`,
    {
      headers: { 'retry-after': RETRY_SECONDS },
    },
  );
}
