// The steps of builds, their comparisons, and what they were made from, as replies show them.
import { STATUSES } from '../../../actors/jobs/job.ts';
import { Nullable, OneOf, Type, type Static } from '../../../kernel/schema/schema.ts';
import { ComparedLogs } from '../compare-model.ts';

export const MAX_BUILD_STEPS = 100;

export const BuildSteps = Type.Object(
  {
    steps: Type.Array(
      Type.Object({
        number: Type.Integer({ description: 'Of its first line in the log' }),
        durationMs: Type.Optional(
          Type.Integer({ description: 'Until the next step; absent for the last one while it goes on' }),
        ),
      }),
      { description: `The first ${MAX_BUILD_STEPS}` },
    ),
    firstError: Nullable(Type.Integer({ description: 'The line that looks like the first error' })),
  },
  { $id: 'BuildSteps' },
);

const ComparedBuild = Type.Object(
  {
    id: Type.String(),
    number: Type.String(),
    status: OneOf(STATUSES),
    startedAt: Type.Integer(),
    finishedAt: Nullable(Type.Integer()),
  },
  { $id: 'ComparedBuild' },
);

export const BuildComparison = Type.Object(
  { before: ComparedBuild, after: ComparedBuild, log: ComparedLogs },
  { $id: 'BuildComparison' },
);

const SourceText = Type.Object({
  name: Type.String(),
  format: Type.Optional(OneOf(['TEXT', 'BASE64'])),
  content: Type.Optional(Type.String()),
  folder: Type.Optional(Type.Boolean()),
});

export const BuiltFiles = Type.Object(
  { build: ComparedBuild, files: Type.Array(SourceText) },
  { $id: 'BuiltFiles' },
);

export type ShownComparedBuild = Static<typeof ComparedBuild>;
