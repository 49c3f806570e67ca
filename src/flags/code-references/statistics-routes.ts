// How often the default branches of repositories name flags: by project, and which projects there are.
import { route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { filterInSlices } from '../../kernel/yield-to-event-loop.ts';
import { ByProject, openProject } from '../find-project.ts';
import { Link, Links, linkTo } from '../links.ts';
import { findProjects } from '../projects/store.ts';
import { projectResource } from '../policy/resources.ts';
import { readFlagStatistics, StatisticRep } from './flag-statistics.ts';
import { REPOSITORIES } from './model.ts';
import { VIEW } from './open-repository.ts';
import { listReferencedProjects } from './store-statistics.ts';

const STATISTICS = '/code-refs/statistics';

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
    if (seen.length === 0) call.requirePermission(projectResource({ key: '*', tags: [] }));
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
    const flags = await readFlagStatistics(call, db, {
      projectId: project.id,
      flagKeys: flagKey === undefined ? undefined : [flagKey],
    });
    return {
      flags: Object.fromEntries(flags),
      _links: { self: linkTo(`${STATISTICS}/${project.key}`), parent: linkTo(STATISTICS) },
    };
  },
);

export const statisticsRoutes = [getRootStatistic, getStatistics];
