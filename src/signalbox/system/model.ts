// The server as administrators see it: the process, the database, the disk, and the work that waits.
import { STATUSES } from '../../actors/jobs/job.ts';
import { LOG_LEVELS } from '../../kernel/observability/log-level.ts';
import { OneOf, Type, type Static } from '../../kernel/schema/schema.ts';

const Time = (description?: string) =>
  Type.Integer({
    description: `${description === undefined ? '' : `${description}, `}in epoch milliseconds`,
  });
const Bytes = (description?: string) => Type.Integer({ ...(description !== undefined && { description }) });
const Count = (description: string) => Type.Integer({ description });

export const LogLevelSetting = Type.Object(
  { level: OneOf(LOG_LEVELS) },
  { $id: 'LogLevelSetting', additionalProperties: false },
);

const SystemCheck = Type.Object(
  {
    name: Type.String(),
    state: OneOf(['ok', 'warn', 'bad']),
    text: Type.String({ description: 'What was found' }),
    advice: Type.Optional(Type.String({ description: 'What to do' })),
    command: Type.Optional(Type.String({ description: 'A command on the server that tells more' })),
  },
  { $id: 'SystemCheck' },
);
export type SystemCheck = Static<typeof SystemCheck>;

const DueSummary = Type.Object({
  kind: Type.String(),
  waiting: Count('Those that nobody works on'),
  running: Count('Those that are worked on'),
  late: Count('Those that should have begun more than a minute ago'),
  oldestAt: Type.Optional(Time('When the first of the late ones was due')),
  failed: Count('Those that have failed, and are tried again'),
  lastError: Type.Optional(Type.String({ description: 'Why one of them has failed' })),
});
export type DueSummary = Static<typeof DueSummary>;

const SystemNode = Type.Object({
  id: Type.String(),
  roles: Type.Array(OneOf(['api', 'worker']), {
    description: 'Whether it answers calls is known of this one alone',
  }),
  seenAt: Time(),
  isSelf: Type.Boolean({ description: 'Whether it answers this call' }),
});
export type SystemNode = Static<typeof SystemNode>;

/** The process, the log level and the streams are those of the node that answers. */
export const System = Type.Object(
  {
    release: Type.String(),
    node: Type.Object({ version: Type.String(), platform: Type.String(), arch: Type.String() }),
    startedAt: Time(),
    pausedSince: Type.Optional(Time('Since when it waits for `POST /system/resume` after a restore')),
    uptimeSeconds: Type.Integer(),
    memory: Type.Object({
      rss: Bytes('That the process holds'),
      heapUsed: Bytes('Of live objects'),
      limit: Type.Optional(Bytes('Of the container; absent where there is none')),
    }),
    eventLoop: Type.Optional(
      Type.Object({
        p99Ms: Type.Number({
          description: 'How late it is in the worst one of a hundred cases since the start',
        }),
      }),
    ),
    database: Type.Object({
      name: Type.String({ description: 'Of the engine, as people write it' }),
      engine: OneOf(['sqlite', 'postgres']),
      version: Type.String(),
      bytes: Bytes('On disk, without a journal'),
      statements: Type.Integer({ description: 'That this node has executed since its start' }),
      meanMs: Type.Number({ description: 'How long one of them took on average' }),
      connections: Type.Optional(
        Type.Object(
          {
            open: Count('All of them'),
            idle: Count('Those that are free'),
            waiting: Count('Calls that wait for one'),
          },
          { description: 'Of the pool of this node; absent where there is none' },
        ),
      ),
    }),
    disk: Type.Optional(
      Type.Object(
        { freeBytes: Bytes(), totalBytes: Bytes() },
        { description: 'The file system of the data folder; absent where it is not watched' },
      ),
    ),
    diskUse: Type.Object(
      {
        kinds: Type.Array(
          Type.Object({
            kind: Type.String({ description: 'Such as the database, large objects, repositories, backups' }),
            bytes: Bytes(),
            at: Time('When it was measured'),
          }),
          { description: 'Empty until it was measured for the first time' },
        ),
        disks: Type.Array(
          Type.Object({
            names: Type.String({ description: 'What is on this file system' }),
            totalBytes: Bytes(),
            freeBytes: Bytes(),
            bytesPerDay: Type.Optional(
              Bytes('By which more is used from day to day; absent in the first hours'),
            ),
            fullAt: Type.Optional(
              Time('When it is full if it goes on like this; absent if that takes years'),
            ),
          }),
        ),
      },
      { description: 'What takes room on the disks of the node that answers, and until when that is enough' },
    ),
    objects: Type.Object({ kind: OneOf(['folder', 's3']) }, { description: 'Where large objects are' }),
    nodes: Type.Array(SystemNode, {
      description: 'Those that do background work, and this one; the last seen first, at most 100',
    }),
    dueWork: Type.Array(DueSummary, { description: 'By kind, of the work that is due first' }),
    isDueWorkComplete: Type.Boolean({ description: 'False where more waits than was counted' }),
    webhooks: Type.Object(
      {
        pending: Count('Deliveries that wait'),
        retrying: Count('Those of them that have failed at least once'),
        failing: Count('Deliveries that were given up in the last day'),
      },
      {
        description:
          'No count is above 1000, and given up ones are looked for among the last 1000 that ended',
      },
    ),
    runs: Type.Array(Type.Object({ status: OneOf(STATUSES), count: Count('At most 2000 together') }), {
      description: 'Of Actors, of all accounts, that have not ended',
    }),
    git: Type.Object(
      {
        transfers: Count('Clones, fetches and pushes'),
        downloads: Count('Of archives and files'),
        waiting: Count('Those of both that wait'),
      },
      { description: 'Processes of git that move data on this node' },
    ),
    streams: Type.Object(
      { flags: Count('Of clients of flags'), changes: Count('Of changes') },
      { description: 'That are open' },
    ),
    limits: Type.Object({ isEnabled: Type.Boolean() }, { description: 'Rate limits' }),
    logLevel: OneOf(LOG_LEVELS),
    checks: Type.Array(SystemCheck, { description: 'What is wrong, or could be' }),
  },
  { $id: 'System' },
);
export type SystemFacts = Omit<Static<typeof System>, 'checks'>;
