// How often repositories name flags, as far as the caller may see the repositories.
import type { Call } from '../../kernel/http/route.ts';
import { problem, Type, type Static } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { mapInSlices } from '../../kernel/yield-to-event-loop.ts';
import { Links, linkTo } from '../links.ts';
import { codeRepositoryResource, REPOSITORIES, type CodeRepository } from './model.ts';
import { VIEW } from './open-repository.ts';
import { listRepositories } from './store.ts';
import { listFlagStatistics, type FlagStatistic } from './store-statistics.ts';

const MAX_STATISTICS = 20_000;

export const StatisticRep = Type.Object(
  {
    _links: Links,
    name: Type.String({ description: 'The name of the repository' }),
    type: Type.String(),
    sourceLink: Type.String(),
    defaultBranch: Type.String(),
    enabled: Type.Boolean(),
    version: Type.Integer(),
    hunkCount: Type.Integer({ description: 'In how many places of the default branch the flag is named' }),
    fileCount: Type.Integer({ description: 'In how many files' }),
    latestCommitTime: Type.Optional(Type.Integer()),
  },
  { $id: 'StatisticRep' },
);
export type ShownStatistic = Static<typeof StatisticRep>;

/** By the keys of flags that exist; without `flagKeys`, of all flags of the project. */
export async function readFlagStatistics(
  call: Pick<Call, 'can'>,
  db: Db,
  wanted: { projectId: string; flagKeys?: readonly string[] | undefined },
): Promise<Map<string, ShownStatistic[]>> {
  const all = await listFlagStatistics(db, wanted, MAX_STATISTICS + 1);
  if (all.length > MAX_STATISTICS) throw problem('query', 'asks for too many flags: name one by flagKey');
  if (all.length === 0) return new Map();
  const repositories = await listSeenRepositories(call, db);
  const byId = new Map(repositories.map((repository) => [repository.id, repository]));
  const byFlag = Map.groupBy(
    all.filter(({ repositoryId }) => byId.has(repositoryId)),
    (one) => one.flagKey,
  );
  const shown = await mapInSlices([...byFlag], ([key, counts]) => {
    const ofFlag = counts.map((count) => toStatisticRep(byId.get(count.repositoryId)!, count));
    return [key, ofFlag] as const;
  });
  return new Map(shown);
}

/** None for callers who may see none. */
export async function listSeenRepositories(call: Pick<Call, 'can'>, db: Db): Promise<CodeRepository[]> {
  return (await listRepositories(db)).filter((one) => call.can(codeRepositoryResource(one), VIEW));
}

function toStatisticRep(
  repository: CodeRepository,
  { hunkCount, fileCount, commitTime }: FlagStatistic,
): ShownStatistic {
  const { name, type, sourceLink, defaultBranch, enabled, version } = repository;
  return {
    _links: { self: linkTo(`${REPOSITORIES}/${name}`) },
    name,
    type,
    sourceLink,
    defaultBranch,
    enabled,
    version,
    hunkCount,
    fileCount,
    ...(commitTime !== undefined && { latestCommitTime: commitTime }),
  };
}
