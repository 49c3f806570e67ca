// How many issues and pull requests of a repository are open.
import { countOpenPulls } from '../../host/issues/lists/store-facets.ts';
import { READ_REPOSITORY, repositoryRoute } from '../../host/repositories/access.ts';
import { Type } from '../../kernel/schema/schema.ts';

/** Counting more is not worth what it costs. */
const MOST_PULLS = 5000;

const OpenCounts = Type.Object(
  {
    issues: Type.Optional(
      Type.Integer({ description: 'Without pull requests; absent where these are too many to be counted' }),
    ),
    pulls: Type.Integer({ maximum: MOST_PULLS }),
    hasMorePulls: Type.Boolean({ description: 'Whether there are more than were counted' }),
  },
  { $id: 'OpenCounts' },
);

const getOpenCounts = repositoryRoute(
  {
    id: 'getOpenCounts',
    method: 'GET',
    path: '/repositories/{owner}/{repo}/open-counts',
    summary: 'Count the open issues and pull requests of a repository',
    description: `Of pull requests the first ${MOST_PULLS} are counted.`,
    access: { action: READ_REPOSITORY.action, ofOwner: true },
    params: Type.Object({ owner: Type.String(), repo: Type.String() }),
    reply: { 200: OpenCounts },
  },
  'read',
  async (_call, { db }, { repository }) => {
    const counted = await countOpenPulls(db, repository.number, MOST_PULLS + 1);
    const hasMorePulls = counted > MOST_PULLS;
    const pulls = Math.min(counted, MOST_PULLS);
    // The row of the repository has the sum.
    const issues = Math.max(0, repository.openIssueCount - pulls);
    return { ...(!hasMorePulls && { issues }), pulls, hasMorePulls };
  },
);

export const openCountRoutes = [getOpenCounts];
