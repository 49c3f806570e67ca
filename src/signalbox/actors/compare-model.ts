// Comparisons of two runs, as replies show them.
import { STATUSES } from '../../actors/jobs/job.ts';
import { LINE_LEVELS } from '../../actors/logs/log-lines.ts';
import { Nullable, OneOf, Type, type Static } from '../../kernel/schema/schema.ts';

/** Of each side of a log. */
export const MAX_COMPARED_LINES = 100;
export const MAX_DIFFERENCES = 200;
export const MAX_FIELDS = 200;
/** Of an input: larger ones are compared by their size alone. */
export const MAX_COMPARED_INPUT = 128 * 1024;

const ComparedRun = Type.Object(
  {
    id: Type.String(),
    actorId: Type.String(),
    taskId: Nullable(Type.String()),
    status: OneOf(STATUSES),
    statusMessage: Nullable(Type.String()),
    exitCode: Nullable(Type.Integer()),
    startedAt: Type.Integer(),
    finishedAt: Nullable(Type.Integer()),
    build: Type.Object({
      id: Type.String(),
      number: Type.String(),
      commit: Type.Optional(
        Type.String({
          description: 'That it was built from, where your own Actor has its sources in a repository',
        }),
      ),
    }),
  },
  { $id: 'ComparedRun' },
);

const Difference = Type.Object(
  {
    path: Type.String({ description: 'A JSON pointer; empty for the whole value' }),
    before: Type.Optional(Type.Unknown({ description: 'Absent where there was nothing' })),
    after: Type.Optional(Type.Unknown({ description: 'Absent where there is nothing' })),
  },
  { $id: 'JsonDifference' },
);

const Count = Type.Object({
  before: Type.Optional(Type.Number({ description: 'Absent where it is not known' })),
  after: Type.Optional(Type.Number({ description: 'Absent where it is not known' })),
});

const OneSided = Type.Object(
  {
    text: Type.String({
      description: 'Without what differs from run to run: `<n>`, `<url>`, `<id>`, `<time>`',
    }),
    count: Type.Integer(),
    number: Type.Integer({ description: 'Of the first such line in its log' }),
    example: Type.String({ description: 'As it was printed' }),
    level: Type.Optional(OneOf(LINE_LEVELS)),
  },
  { $id: 'OneSidedLine' },
);

export const ComparedLogs = Type.Object({
  added: Type.Array(OneSided, {
    description: `Lines that the log before does not have, the most severe and frequent first; at most ${MAX_COMPARED_LINES}`,
  }),
  missing: Type.Array(OneSided, { description: 'Lines that only the log before has' }),
  addedTotal: Type.Integer(),
  missingTotal: Type.Integer(),
  isPartial: Type.Boolean({ description: 'A log has more different lines than are compared' }),
});

export const RunComparison = Type.Object(
  {
    before: ComparedRun,
    after: ComparedRun,
    input: Type.Object(
      {
        isSame: Type.Boolean(),
        differences: Type.Array(Difference, {
          description: `The first ${MAX_DIFFERENCES}; secrets are left out`,
        }),
        total: Type.Integer(),
        reason: Type.Optional(
          Type.String({ description: 'Why the inputs cannot be compared: `isSame` is then false' }),
        ),
      },
      { description: 'What is different in the input' },
    ),
    options: Type.Array(Difference, { description: 'What is different in the options' }),
    counts: Type.Object({
      items: Count,
      requests: Count,
      handledRequests: Count,
      durationMs: Count,
      memoryMaxBytes: Count,
      cpuAvgUsage: Count,
      restarts: Count,
      migrations: Count,
    }),
    output: Type.Object(
      {
        added: Type.Array(Type.String(), { description: `At most ${MAX_FIELDS}` }),
        missing: Type.Array(Type.String(), { description: `At most ${MAX_FIELDS}` }),
        common: Type.Integer(),
        isKnown: Type.Boolean({ description: 'False where a dataset is gone, or may not be viewed' }),
      },
      { description: 'The names of fields that the items of only one of the runs have' },
    ),
    log: ComparedLogs,
  },
  { $id: 'RunComparison' },
);

export type ShownComparison = Static<typeof RunComparison>;
