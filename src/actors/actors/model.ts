// Actors: their fields, and how the API shows them.
import { Nullable, OneOf, PlainText, Type, type Static } from '../../kernel/schema/schema.ts';
import { checkMemorySize, MAX_MEMORY, MIN_MEMORY } from '../input/memory.ts';
import { Standby, standbyUrlOf } from '../standby/model.ts';
import { PricingInfo } from './pricing.ts';
import { SentVersion, ShownVersion } from './version.ts';

export const PERMISSION_LEVELS = ['LIMITED_PERMISSIONS', 'FULL_PERMISSIONS'] as const;
export type PermissionLevel = (typeof PERMISSION_LEVELS)[number];

export interface Actor {
  id: string;
  userId: string;
  name: string;
  title: string | null;
  description: string | null;
  isPublic: boolean;
  /** What its runs may do, where the caller of a run does not limit it further. */
  permissionLevel: PermissionLevel;
  runOptions: DefaultRunOptions;
  details: ActorDetails;
  /** The boundary of the token that saved the standby settings. */
  standbyBoundary?: string;
  totalBuilds: number;
  totalRuns: number;
  totalMetamorphs: number;
  /** The accounts that have started a run of it. */
  totalUsers: number;
  lastRunStartedAt: number | null;
  createdAt: number;
  modifiedAt: number;
}

/** The options of a run whose caller does not give others. */
export interface DefaultRunOptions {
  /** A tag, or the number of a build. */
  build: string;
  /** 0 means no time-out. */
  timeoutSecs: number;
  memoryMbytes: number;
  restartOnError: boolean;
  maxItems: number | null;
  forcePermissionLevel: PermissionLevel | null;
}

export const DEFAULT_RUN_OPTIONS: DefaultRunOptions = {
  build: 'latest',
  timeoutSecs: 3600,
  memoryMbytes: 1024,
  restartOnError: false,
  maxItems: null,
  forcePermissionLevel: null,
};

/** A number and nothing else: a larger one cannot be stored. */
const Count = Type.Integer({ minimum: 0, maximum: 2_147_483_647 });

const RunOptionsSchema = Type.Object(
  {
    build: Type.String(),
    timeoutSecs: Type.Integer(),
    memoryMbytes: Type.Integer(),
    restartOnError: Type.Boolean(),
    maxItems: Nullable(Type.Integer()),
    forcePermissionLevel: Nullable(OneOf(PERMISSION_LEVELS)),
  },
  { $id: 'DefaultRunOptions' },
);

const ExampleRunInput = Type.Object({
  body: PlainText({ maxLength: 100_000 }),
  contentType: PlainText({ maxLength: 200 }),
});

/** Fields that only describe the Actor. Null clears one. */
const DETAILS = {
  isDeprecated: Type.Optional(Nullable(Type.Boolean())),
  isSourceCodeHidden: Type.Optional(
    Nullable(
      Type.Boolean({ description: 'Of a public Actor: others see its sources only where this is false' }),
    ),
  ),
  seoTitle: Type.Optional(Nullable(PlainText({ maxLength: 1000 }))),
  seoDescription: Type.Optional(Nullable(PlainText({ maxLength: 5000 }))),
  categories: Type.Optional(Nullable(Type.Array(PlainText({ maxLength: 100 }), { maxItems: 100 }))),
  exampleRunInput: Type.Optional(Nullable(ExampleRunInput)),
  actorStandby: Type.Optional(Nullable(Standby)),
  pricingInfos: Type.Optional(Nullable(Type.Array(PricingInfo, { maxItems: 100 }))),
};
const Details = Type.Object(DETAILS);
export type ActorDetails = Static<typeof Details>;
const DETAIL_NAMES = Object.keys(DETAILS) as (keyof ActorDetails)[];

/** The body of a create and of an update: what is absent gets its default, or stays as it is. */
const SENT = {
  name: Type.Optional(
    Nullable(Type.String({ description: '3 to 63 letters and digits, with hyphens only inside' })),
  ),
  title: Type.Optional(Nullable(PlainText({ maxLength: 200 }))),
  description: Type.Optional(Nullable(PlainText({ maxLength: 10_000 }))),
  isPublic: Type.Optional(Nullable(Type.Boolean())),
  actorPermissionLevel: Type.Optional(Nullable(OneOf(PERMISSION_LEVELS))),
  restartOnError: Type.Optional(
    Nullable(Type.Boolean({ description: 'Deprecated: it is one of `defaultRunOptions`' })),
  ),
  defaultRunOptions: Type.Optional(
    Nullable(
      Type.Object({
        build: Type.Optional(Nullable(PlainText({ minLength: 1, maxLength: 100 }))),
        timeoutSecs: Type.Optional(Nullable(Count)),
        memoryMbytes: Type.Optional(
          Nullable(
            Type.Integer({ description: `A power of two from ${MIN_MEMORY} to ${MAX_MEMORY}`, minimum: 0 }),
          ),
        ),
        restartOnError: Type.Optional(Nullable(Type.Boolean())),
        maxItems: Type.Optional(Nullable(Count)),
        forcePermissionLevel: Type.Optional(Nullable(OneOf(PERMISSION_LEVELS))),
      }),
    ),
  ),
  ...DETAILS,
  versions: Type.Optional(Nullable(Type.Array(SentVersion, { maxItems: 100 }))),
};

/** Tagged builds of one Actor. */
export const MAX_TAGS = 100;

export const CreateActor = Type.Object(SENT, { $id: 'CreateActorRequest' });
export const UpdateActor = Type.Object(
  {
    ...SENT,
    taggedBuilds: Type.Optional(
      Nullable(
        Type.Record(Type.String(), Nullable(Type.Object({ buildId: Type.String() })), {
          description:
            'Assigns the tags that it names to builds, and removes those that are null; others stay',
          maxProperties: MAX_TAGS,
        }),
      ),
    ),
  },
  { $id: 'UpdateActorRequest' },
);
export type SentActor = Static<typeof UpdateActor>;

const DateTime = Type.String({ format: 'date-time' });

export const ActorStats = Type.Object(
  {
    totalBuilds: Type.Integer(),
    totalRuns: Type.Integer(),
    totalMetamorphs: Type.Integer(),
    totalUsers: Type.Integer({ description: 'The accounts that have started a run of it' }),
    totalUsers7Days: Type.Integer({ description: 'Those whose last run began within 7 days' }),
    totalUsers30Days: Type.Integer(),
    totalUsers90Days: Type.Integer(),
    lastRunStartedAt: Type.Optional(DateTime),
  },
  { $id: 'ActorStats' },
);

const TaggedBuild = Type.Object(
  {
    buildId: Type.String(),
    buildNumber: Type.String(),
    buildNumberInt: Type.Integer(),
    finishedAt: Nullable(DateTime),
  },
  { $id: 'TaggedBuildInfo' },
);
export type TaggedBuilds = Record<string, Static<typeof TaggedBuild>>;

export const ShownActor = Type.Object(
  {
    id: Type.String(),
    userId: Type.String(),
    name: Type.String(),
    username: Type.String(),
    title: Nullable(Type.String()),
    description: Nullable(Type.String()),
    isPublic: Type.Boolean(),
    actorPermissionLevel: OneOf(PERMISSION_LEVELS),
    restartOnError: Type.Boolean(),
    createdAt: DateTime,
    modifiedAt: DateTime,
    stats: ActorStats,
    defaultRunOptions: RunOptionsSchema,
    ...DETAILS,
    standbyUrl: Type.Optional(
      Nullable(Type.String({ description: 'Where it answers; null where it is not in standby mode' })),
    ),
    taggedBuilds: Type.Record(Type.String(), TaggedBuild),
    versions: Type.Array(ShownVersion),
  },
  { $id: 'Actor' },
);

export const ActorShort = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    username: Type.String(),
    title: Nullable(Type.String()),
    createdAt: DateTime,
    modifiedAt: DateTime,
    stats: ActorStats,
  },
  { $id: 'ActorShort' },
);

/** Everything but the versions, which are many and large. */
export function toShownActor(
  actor: Actor,
  username: string,
  users: RecentUsers,
  taggedBuilds: TaggedBuilds,
  publicUrl: string,
): Omit<Static<typeof ShownActor>, 'versions'> {
  return {
    id: actor.id,
    userId: actor.userId,
    name: actor.name,
    username,
    title: actor.title,
    description: actor.description,
    isPublic: actor.isPublic,
    actorPermissionLevel: actor.permissionLevel,
    restartOnError: actor.runOptions.restartOnError,
    createdAt: new Date(actor.createdAt).toISOString(),
    modifiedAt: new Date(actor.modifiedAt).toISOString(),
    stats: toStats(actor, users),
    defaultRunOptions: actor.runOptions,
    ...actor.details,
    standbyUrl:
      actor.details.actorStandby?.isEnabled === true ? standbyUrlOf(publicUrl, username, actor.name) : null,
    taggedBuilds,
  };
}

export function toActorShort(actor: Actor, username: string, users: RecentUsers): Static<typeof ActorShort> {
  const { id, name, title } = actor;
  return {
    id,
    name,
    username,
    title,
    createdAt: new Date(actor.createdAt).toISOString(),
    modifiedAt: new Date(actor.modifiedAt).toISOString(),
    stats: toStats(actor, users),
  };
}

/** The accounts whose last run of the Actor began within so many days. */
export interface RecentUsers {
  days7: number;
  days30: number;
  days90: number;
}

export type ActorCounts = Pick<
  Actor,
  'totalBuilds' | 'totalRuns' | 'totalMetamorphs' | 'totalUsers' | 'lastRunStartedAt'
>;

export function toStats(
  { totalBuilds, totalRuns, totalMetamorphs, totalUsers, lastRunStartedAt }: ActorCounts,
  { days7, days30, days90 }: RecentUsers,
) {
  return {
    totalBuilds,
    totalRuns,
    totalMetamorphs,
    totalUsers,
    totalUsers7Days: days7,
    totalUsers30Days: days30,
    totalUsers90Days: days90,
    ...(lastRunStartedAt !== null && { lastRunStartedAt: new Date(lastRunStartedAt).toISOString() }),
  };
}

/** Actors of one account. */
export const MAX_ACTORS = 500;

/** The run options of an Actor after a change; what is absent or null stays. */
export function changeRunOptions(before: DefaultRunOptions, sent: SentActor): DefaultRunOptions {
  const { maxItems, forcePermissionLevel, ...others } = sent.defaultRunOptions ?? {};
  const given = Object.entries(others).filter(([, value]) => value !== null && value !== undefined);
  const after: DefaultRunOptions = {
    ...before,
    ...(sent.restartOnError != null && { restartOnError: sent.restartOnError }),
    ...(Object.fromEntries(given) as Partial<DefaultRunOptions>),
    ...(maxItems !== undefined && { maxItems }),
    ...(forcePermissionLevel !== undefined && { forcePermissionLevel }),
  };
  checkMemorySize('defaultRunOptions.memoryMbytes', after.memoryMbytes);
  return after;
}

/** What the Actor's details are after a change; null clears one. */
export function changeDetails(before: ActorDetails, sent: ActorDetails): ActorDetails {
  const after: Record<string, unknown> = {};
  for (const name of DETAIL_NAMES) {
    const value = sent[name] === undefined ? before[name] : sent[name];
    if (value !== null && value !== undefined) after[name] = value;
  }
  return after;
}
