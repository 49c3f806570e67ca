// Previews of changes, as replies show them.
import { Instructions } from '../../flags/planned-changes/plan.ts';
import { Type, type Static } from '../../kernel/schema/schema.ts';

/** As much as a PATCH takes. */
export const PATCH_LIMITS = { bodyBytes: 5 * 1024 * 1024, bodyKeys: 30_000 };

export const FlagChangePost = Type.Object(
  {
    environmentKey: Type.Optional(Type.String({ description: 'Of the instructions that need one' })),
    instructions: Instructions,
  },
  { $id: 'FlagChangePost', additionalProperties: false },
);

export const SegmentChangePost = Type.Object(
  { instructions: Instructions },
  { $id: 'SegmentChangePost', additionalProperties: false },
);

export const ChangeSentence = Type.Object(
  {
    sentence: Type.String({ description: 'As the audit log will say it, in Markdown' }),
    part: Type.String({ description: 'What it is about: `on`, `rules`, `targets`, `name` and so on' }),
    environmentKey: Type.Optional(Type.String({ description: 'Absent for what all environments share' })),
  },
  { $id: 'ChangeSentence' },
);

const MissingPermission = Type.Object(
  { action: Type.String(), resource: Type.String() },
  { $id: 'MissingPermission', description: 'The permission that the caller does not have' },
);

const ChangeGuard = Type.Object(
  {
    environments: Type.Array(Type.String(), {
      description: 'The keys of the environments where something else is served or configured',
    }),
    requiresComment: Type.Boolean(),
    requiresConfirmation: Type.Boolean({ description: 'One of them asks for a confirmation of changes' }),
    isCritical: Type.Boolean({ description: 'One of them is critical' }),
    requiresApproval: Type.Boolean(),
    mayBypassApproval: Type.Boolean({ description: 'Whether the caller may do it without the approval' }),
    mayApply: Type.Boolean({
      description: 'Whether the caller may make the change now, with a comment where one is required',
    }),
    reason: Type.Optional(Type.String({ description: 'Why not' })),
    missing: Type.Optional(MissingPermission),
  },
  { $id: 'ChangeGuard', description: 'What stands between the caller and the change' },
);

/** Of flags that are touched; of these, no more are looked for than `MAX_TOUCHED_COUNTED`. */
export const MAX_TOUCHED = 50;
export const MAX_TOUCHED_COUNTED = 1000;

const TouchedFlag = Type.Object(
  {
    flag: Type.String({ description: 'Its key' }),
    name: Type.String(),
    environments: Type.Array(Type.String(), { description: 'The keys of the environments where it is so' }),
  },
  { $id: 'TouchedFlag' },
);

const PlannedConflict = Type.Object(
  {
    id: Type.String(),
    kind: Type.String({ description: '`scheduled-change` or `approval-request`' }),
    reason: Type.String(),
  },
  { $id: 'PlannedConflict' },
);

const Part = (description: string) =>
  Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], { description });

export const ChangePreview = Type.Object(
  {
    version: Type.Integer({ description: 'That it was made for: send it as If-Match with the patch' }),
    sentences: Type.Array(ChangeSentence, { description: 'Empty where nothing would change' }),
    before: Part(
      'The members that change, as they are now: those of the configuration where one environment changes, those of the flag or segment otherwise, and `environments` where both do',
    ),
    after: Part('The same after the change; null where it deletes the flag. New ids will be others'),
    guard: ChangeGuard,
    conflicts: Type.Optional(
      Type.Array(PlannedConflict, {
        description:
          'Planned changes that could no longer be applied: the patch then needs `ignoreConflicts`',
      }),
    ),
    touches: Type.Optional(
      Type.Array(TouchedFlag, {
        description: `Flags that use the segment, or have the flag as a prerequisite, where it changes; the first ${MAX_TOUCHED}`,
      }),
    ),
    touchesTotal: Type.Optional(
      Type.Integer({ description: `How many there are, up to ${MAX_TOUCHED_COUNTED}` }),
    ),
  },
  { $id: 'ChangePreview' },
);

export type ShownPreview = Static<typeof ChangePreview>;
export type ShownGuard = Static<typeof ChangeGuard>;
