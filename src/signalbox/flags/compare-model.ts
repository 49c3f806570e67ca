// Differences between two environments, and copies from one to others, as requests and replies show them.
import { OneOf, PlainText, Type, type Static } from '../../kernel/schema/schema.ts';
import { ChangeSentence } from './preview-model.ts';

/** What can be copied, by the name of the part. */
export const COPY_PARTS = {
  on: 'updateOn',
  prerequisites: 'updatePrerequisites',
  targets: 'updateTargets',
  rules: 'updateRules',
  fallthrough: 'updateFallthrough',
  offVariation: 'updateOffVariation',
  migrationSettings: 'updateFlagConfigMigrationSettings',
} as const;

export type CopyPart = keyof typeof COPY_PARTS;
const COPY_PART_NAMES = Object.keys(COPY_PARTS) as CopyPart[];

export const FlagDifferences = Type.Object(
  {
    flag: Type.String({ description: 'Its key' }),
    name: Type.String(),
    version: Type.Integer({ description: 'Of the flag: send it with a copy' }),
    tags: Type.Array(Type.String()),
    parts: Type.Array(
      Type.Object({
        part: OneOf(COPY_PART_NAMES),
        from: Type.String({ description: 'How it is in the environment `from`, in Markdown' }),
        to: Type.String({ description: 'How it is in the environment `to`' }),
      }),
    ),
  },
  { $id: 'FlagDifferences' },
);

export type ShownDifferences = Static<typeof FlagDifferences>;

export const MAX_COPIED_FLAGS = 100;
export const MAX_COPY_TARGETS = 10;

export const CopyPost = Type.Object(
  {
    from: Type.String({ description: 'The key of the environment to copy from' }),
    to: Type.Array(Type.String(), {
      minItems: 1,
      maxItems: MAX_COPY_TARGETS,
      description: 'The keys of the environments to copy to',
    }),
    flags: Type.Array(
      Type.Object(
        {
          key: Type.String(),
          parts: Type.Array(OneOf(COPY_PART_NAMES), { minItems: 1, maxItems: COPY_PART_NAMES.length }),
          version: Type.Optional(
            Type.Integer({ description: 'The version that was compared: another one is not changed' }),
          ),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: MAX_COPIED_FLAGS },
    ),
    comment: Type.Optional(PlainText({ maxLength: 10_000 })),
    ignoreConflicts: Type.Optional(
      Type.Boolean({ description: 'Copy even if a pending change can then no longer be applied' }),
    ),
    isDryRun: Type.Optional(Type.Boolean({ description: 'Answer as if it were done, and change nothing' })),
  },
  { $id: 'FlagCopyPost', additionalProperties: false },
);

const COPY_OUTCOMES = ['changed', 'same', 'approval-required', 'refused'] as const;

const CopiedItem = Type.Object(
  {
    flag: Type.String(),
    environment: Type.String(),
    outcome: OneOf(COPY_OUTCOMES, {
      description: 'Only what is `changed` has changed, or would in a dry run',
    }),
    sentences: Type.Array(ChangeSentence),
    reason: Type.Optional(Type.String({ description: 'Why it was not changed' })),
    missing: Type.Optional(
      Type.Object(
        { action: Type.String(), resource: Type.String() },
        { description: 'The permission that the caller does not have' },
      ),
    ),
  },
  { $id: 'CopiedFlag' },
);

export const CopyReply = Type.Object(
  {
    isDryRun: Type.Boolean(),
    changed: Type.Integer({ description: 'How many have changed, or would' }),
    items: Type.Array(CopiedItem, { description: 'One for each flag and environment' }),
  },
  { $id: 'FlagCopyReply' },
);

export type ShownCopy = Static<typeof CopyReply>;
export type ShownCopyItem = Static<typeof CopiedItem>;
export type WantedCopy = Static<typeof CopyPost>;
