// How often the default branches of repositories name flags: by project, and which projects there are.
import { route } from '../../kernel/route.ts';
import { problem, Type, type Static } from '../../kernel/schema.ts';
import { filterInSlices, mapInSlices } from '../../kernel/time-slice.ts';
import { ByProject, openProject } from '../find-project.ts';
import { Link, Links, linkTo } from '../links.ts';
import { findProjects } from '../projects/store.ts';
import { projectResource } from '../resources.ts';
import { codeRepositoryResource, REPOSITORIES, type CodeRepository } from './model.ts';
import { VIEW } from './open-repository.ts';
import { listRepositories } from './store.ts';
import { listFlagStatistics, listReferencedProjects, type FlagStatistic } from './store-statistics.ts';

const STATISTICS = '/code-refs/statistics';
const MAX_STATISTICS = 20_000;

const StatisticRep = Type.Object(
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

const getRootStatistic = route(
  {
    id: 'getRootStatistic',
    method: 'GET',
    path: STATISTICS,
    summary: 'List links to the statistics of projects with code references',
    access: { action: 'viewProject' },
    reply: {
      200: Type.Object({ projects: Type.Array(Link), self: Link, _links: Links }, { $id: 'StatisticsRoot' }),
    },
  },
  async (call, { db }) => {
    const all = await findProjects(db, await listReferencedProjects(db));
    const seen = await filterInSlices(all, (project) => call.can(projectResource(project)));
    if (seen.length === 0) call.demand(projectResource({ key: '*', tags: [] }));
    const projects = seen.map(({ key }) => linkTo(`${STATISTICS}/${key}`));
    const self = linkTo(STATISTICS);
    return { projects, self, _links: { self, parent: linkTo(REPOSITORIES) } };
  },
);

const getStatistics = route(
  {
    id: 'getStatistics',
    method: 'GET',
    path: `${STATISTICS}/{projectKey}`,
    summary: 'Count the references to the flags of a project, in each repository',
    description: 'Those on default branches, to flags that exist.',
    access: { action: 'viewProject', others: [VIEW] },
    params: ByProject,
    query: Type.Object({ flagKey: Type.Optional(Type.String({ description: 'Only of this flag' })) }),
    reply: {
      200: Type.Object(
        { flags: Type.Record(Type.String(), Type.Array(StatisticRep)), _links: Links },
        { $id: 'StatisticCollectionRep' },
      ),
    },
  },
  async (call, { db }) => {
    const project = await openProject(call, db, call.params.projectKey);
    const { flagKey } = call.query;
    const all = await listFlagStatistics(db, { projectId: project.id, flagKey }, MAX_STATISTICS + 1);
    if (all.length > MAX_STATISTICS) throw problem('query', 'asks for too many flags: name one by flagKey');
    const repositories = (await listRepositories(db)).filter((one) =>
      call.can(codeRepositoryResource(one), VIEW),
    );
    const byId = new Map(repositories.map((repository) => [repository.id, repository]));
    const byFlag = Map.groupBy(
      all.filter(({ repositoryId }) => byId.has(repositoryId)),
      (one) => one.flagKey,
    );
    const flags = await mapInSlices([...byFlag], ([key, counts]) => {
      const shown = counts.map((count) => toStatisticRep(byId.get(count.repositoryId)!, count));
      return [key, shown] as const;
    });
    return {
      flags: Object.fromEntries(flags),
      _links: { self: linkTo(`${STATISTICS}/${project.key}`), parent: linkTo(STATISTICS) },
    };
  },
);

function toStatisticRep(repository: CodeRepository, { hunkCount, fileCount, commitTime }: FlagStatistic) {
  const { name, type, sourceLink, defaultBranch, enabled, version } = repository;
  const shown: Static<typeof StatisticRep> = {
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
  return shown;
}

export const statisticsRoutes = [getRootStatistic, getStatistics];
