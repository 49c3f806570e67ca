// The schemas of flags in bodies and replies.
import { Nullable, OneOf, PlainText, Type, type Static } from '../../kernel/schema/schema.ts';
import { ClauseInput, MAX_CLAUSES } from '../clauses.ts';
import { StatisticRep } from '../code-references/flag-statistics.ts';
import {
  ClientSideAvailability,
  ContextKind,
  Description,
  Instant,
  Key,
  Name,
  Tags,
  ViewKeys,
} from '../fields.ts';
import { Link, Links } from '../links.ts';
import { MemberSummary } from '../members/model.ts';
import { Keys } from './change/instructions/kind.ts';
import { MAX_FLAG_RULES } from './model.ts';

const STRICT = { additionalProperties: false };
const Index = Type.Integer({ minimum: 0, description: 'The index of a variation' });
const Id = Type.Optional(Type.String({ maxLength: 64, description: 'Given by the server' }));

const VariationSchema = Type.Object(
  {
    _id: Id,
    value: Type.Unknown({ description: 'Any JSON' }),
    name: Type.Optional(PlainText({ maxLength: 256 })),
    description: Type.Optional(Description),
  },
  { $id: 'Variation', ...STRICT },
);

const Rollout = Type.Object(
  {
    variations: Type.Array(
      Type.Object(
        {
          variation: Index,
          weight: Type.Integer({ minimum: 0, maximum: 100_000 }),
          _untracked: Type.Optional(Type.Boolean()),
        },
        STRICT,
      ),
      { maxItems: 1000, description: 'All weights together make 100,000' },
    ),
    bucketBy: Type.Optional(PlainText({ minLength: 1, maxLength: 1024 })),
    contextKind: Type.Optional(ContextKind),
    seed: Type.Optional(Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })),
  },
  { $id: 'Rollout', ...STRICT },
);

const SERVE = { variation: Type.Optional(Index), rollout: Type.Optional(Rollout) };

const ClauseSchema = Type.Object({ _id: Id, ...ClauseInput.properties }, STRICT);

const RuleSchema = Type.Object(
  {
    _id: Id,
    ref: Type.Optional(PlainText({ maxLength: 256 })),
    ...SERVE,
    clauses: Type.Array(ClauseSchema, { maxItems: MAX_CLAUSES }),
    trackEvents: Type.Optional(Type.Boolean()),
    description: Type.Optional(PlainText({ maxLength: 1000 })),
    disabled: Type.Optional(Type.Boolean()),
  },
  { $id: 'Rule', ...STRICT },
);

const TargetSchema = Type.Object(
  {
    values: Keys,
    variation: Index,
    contextKind: Type.Optional(ContextKind),
  },
  { $id: 'Target', ...STRICT },
);

const PrerequisiteSchema = Type.Object({ key: Key(), variation: Index }, { $id: 'Prerequisite', ...STRICT });

/** What a patch may change in an environment. An optional field that is absent gets the value of a new configuration. */
const CONFIG = {
  on: Type.Boolean(),
  targets: Type.Optional(Type.Array(TargetSchema, { maxItems: 10_000 })),
  contextTargets: Type.Optional(Type.Array(TargetSchema, { maxItems: 10_000 })),
  rules: Type.Optional(Type.Array(RuleSchema, { maxItems: MAX_FLAG_RULES })),
  fallthrough: Type.Object(SERVE, { $id: 'VariationOrRollout', ...STRICT }),
  offVariation: Type.Optional(Index),
  prerequisites: Type.Optional(Type.Array(PrerequisiteSchema, { maxItems: 100 })),
  trackEvents: Type.Optional(Type.Boolean()),
  trackEventsFallthrough: Type.Optional(Type.Boolean()),
  migrationSettings: Type.Optional(
    Type.Object({ checkRatio: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })) }, STRICT),
  ),
};

export const EditableConfig = Type.Object(CONFIG);

const CustomProperties = Type.Record(
  Type.String({ pattern: '^[a-zA-Z0-9][a-zA-Z0-9_.-]*$' }),
  Type.Object(
    {
      name: PlainText({ minLength: 1, maxLength: 256 }),
      value: Type.Array(PlainText({ maxLength: 1024 }), { maxItems: 1000 }),
    },
    STRICT,
  ),
  { maxProperties: 100, additionalProperties: false },
);

const Defaults = Type.Object(
  { onVariation: Index, offVariation: Index },
  { $id: 'Defaults', description: 'The variations new environments begin with' },
);

const MaintainerId = Type.String({ description: 'The member who looks after the flag' });
const MaintainerTeamKey = Type.String({ description: 'The team that looks after the flag' });

/** What a patch may change of the flag itself. */
export const EditableFlag = Type.Object({
  name: Name,
  description: Type.Optional(Description),
  tags: Type.Optional(Tags),
  temporary: Type.Boolean(),
  variations: Type.Array(VariationSchema, { maxItems: 1000 }),
  defaults: Type.Optional(Defaults),
  clientSideAvailability: Type.Optional(ClientSideAvailability),
  includeInSnippet: Type.Optional(Type.Boolean()),
  customProperties: Type.Optional(CustomProperties),
  maintainerId: Type.Optional(MaintainerId),
  maintainerTeamKey: Type.Optional(MaintainerTeamKey),
  archived: Type.Optional(Type.Boolean()),
  deprecated: Type.Optional(Type.Boolean()),
});

const MigrationSettings = Type.Object(
  {
    contextKind: Type.Optional(ContextKind),
    stageCount: Type.Integer({ description: '2, 4 or 6' }),
  },
  { $id: 'MigrationSettings' },
);

export const FlagPost = Type.Object(
  {
    name: Name,
    key: Key(),
    description: Type.Optional(Description),
    includeInSnippet: Type.Optional(Type.Boolean({ deprecated: true })),
    clientSideAvailability: Type.Optional(Type.Partial(ClientSideAvailability)),
    variations: Type.Optional(Type.Array(VariationSchema, { maxItems: 1000 })),
    temporary: Type.Optional(Type.Boolean()),
    tags: Type.Optional(Tags),
    customProperties: Type.Optional(CustomProperties),
    defaults: Type.Optional(Defaults),
    purpose: Type.Optional(OneOf(['migration', 'holdout'])),
    migrationSettings: Type.Optional(MigrationSettings),
    maintainerId: Type.Optional(MaintainerId),
    maintainerTeamKey: Type.Optional(MaintainerTeamKey),
    initialPrerequisites: Type.Optional(
      Type.Array(Type.Object({ key: Key(), variationId: Type.String() }), { maxItems: 100 }),
    ),
    isFlagOn: Type.Optional(Type.Boolean({ description: 'Whether it begins turned on everywhere' })),
    viewKeys: ViewKeys,
  },
  { $id: 'FeatureFlagBody' },
);
export type FlagPost = Static<typeof FlagPost>;

const VariationSummary = Type.Object({
  rules: Type.Integer(),
  nullRules: Type.Integer(),
  targets: Type.Integer(),
  contextTargets: Type.Integer(),
  isFallthrough: Type.Optional(Type.Boolean()),
  isOff: Type.Optional(Type.Boolean()),
  rollout: Type.Optional(Type.Integer()),
  bucketBy: Type.Optional(Type.String()),
});

const ConfigSchema = Type.Object(
  {
    on: Type.Boolean(),
    archived: Type.Boolean(),
    salt: Type.String(),
    sel: Type.String(),
    lastModified: Type.Integer(),
    version: Type.Integer(),
    targets: CONFIG.targets,
    contextTargets: CONFIG.contextTargets,
    rules: CONFIG.rules,
    fallthrough: Type.Optional(CONFIG.fallthrough),
    offVariation: CONFIG.offVariation,
    prerequisites: CONFIG.prerequisites,
    _site: Link,
    _environmentName: Type.String(),
    trackEvents: Type.Boolean(),
    trackEventsFallthrough: Type.Boolean(),
    _summary: Type.Optional(
      Type.Object({
        prerequisites: Type.Integer(),
        variations: Type.Record(Type.String(), VariationSummary),
      }),
    ),
    evaluation: Type.Optional(Type.Object({ contextKinds: Type.Array(Type.String()) })),
    migrationSettings: CONFIG.migrationSettings,
  },
  { $id: 'FeatureFlagConfig' },
);

export const FlagSchema = Type.Object(
  {
    name: Type.String(),
    kind: OneOf(['boolean', 'multivariate']),
    description: Type.Optional(Type.String()),
    key: Type.String(),
    version: Type.Integer({ description: 'Goes up with every change; test it to change nothing unseen' }),
    _version: Type.Integer({ description: 'The same as `version`' }),
    creationDate: Instant('When it was made, in epoch milliseconds'),
    includeInSnippet: Type.Optional(Type.Boolean({ deprecated: true })),
    clientSideAvailability: Type.Optional(ClientSideAvailability),
    variations: Type.Array(VariationSchema),
    variationJsonSchema: Nullable(Type.Unknown()),
    temporary: Type.Boolean(),
    tags: Type.Array(Type.String()),
    _links: Links,
    maintainerId: Type.Optional(Type.String()),
    _maintainer: Type.Optional(MemberSummary),
    maintainerTeamKey: Type.Optional(Type.String()),
    _maintainerTeam: Type.Optional(
      Type.Object({ key: Type.String(), name: Type.String(), _links: Links }, { $id: 'MaintainerTeam' }),
    ),
    goalIds: Type.Array(Type.String()),
    experiments: Type.Object({ baselineIdx: Type.Integer(), items: Type.Array(Type.Unknown()) }),
    customProperties: CustomProperties,
    archived: Type.Boolean(),
    archivedDate: Type.Optional(Type.Integer()),
    deprecated: Type.Optional(Type.Boolean()),
    deprecatedDate: Type.Optional(Type.Integer()),
    defaults: Type.Optional(Defaults),
    _purpose: Type.Optional(Type.String()),
    migrationSettings: Type.Optional(MigrationSettings),
    codeReferences: Type.Optional(Type.Object({ items: Type.Array(StatisticRep) })),
    environments: Type.Optional(Type.Record(Type.String(), ConfigSchema)),
  },
  { $id: 'FeatureFlag' },
);
export type ShownFlag = Static<typeof FlagSchema>;
export type ShownConfig = Static<typeof ConfigSchema>;
