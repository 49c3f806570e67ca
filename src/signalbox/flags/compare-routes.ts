// Two environments compared, and copies from one to others.
import { listEnvironments } from '../../flags/environments/store.ts';
import { couldBeKey } from '../../flags/fields.ts';
import { ByProject, openProject, unknownThing } from '../../flags/find-project.ts';
import type { Environment } from '../../flags/projects/project.ts';
import { clampLimit, describeLimit } from '../../kernel/http/reply/page.ts';
import { route } from '../../kernel/http/route.ts';
import { problem, Type } from '../../kernel/schema/schema.ts';
import { cursorPage } from '../cursor-page.ts';
import { listDifferences } from './compare.ts';
import { CopyPost, CopyReply, FlagDifferences, MAX_COPIED_FLAGS, MAX_COPY_TARGETS } from './compare-model.ts';
import { copyBetweenEnvironments } from './copy.ts';

const DEFAULT_LIMIT = 25;
const MAX_LIMIT = 100;

const compare = route(
  {
    id: 'compareEnvironments',
    method: 'GET',
    path: '/projects/{projectKey}/compare',
    summary: 'List the flags that differ between two environments',
    description:
      'By key, without archived ones, with the parts that differ. A page may have fewer flags than its limit, or none, though there ' +
      'are more: it goes on with `next`.',
    access: { action: 'viewProject' },
    params: ByProject,
    query: Type.Object({
      from: Type.String({ maxLength: 256, description: 'The key of an environment' }),
      to: Type.String({ maxLength: 256, description: 'The key of the other one' }),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, description: describeLimit(DEFAULT_LIMIT, MAX_LIMIT) }),
      ),
      cursor: Type.Optional(Type.String({ maxLength: 256, description: '`next` of the page before' })),
    }),
    list: FlagDifferences,
  },
  async (call, { db }) => {
    const { from, to, limit, cursor = '' } = call.query;
    const project = await openProject(call, db, call.params.projectKey);
    const environments = await listEnvironments(db, project.id);
    const [one, other] = [findByKey(environments, from), findByKey(environments, to)];
    if (one === other) throw problem('query.to', 'must be another environment than `from`');
    if (cursor !== '' && !couldBeKey(cursor)) throw problem('query.cursor', 'is not the `next` of a page');
    const { items, next } = await listDifferences(db, {
      projectId: project.id,
      from: one,
      to: other,
      after: cursor,
      limit: clampLimit(limit, DEFAULT_LIMIT, MAX_LIMIT),
    });
    return cursorPage(items, next);
  },
);

const copy = route(
  {
    id: 'copyFlagsBetweenEnvironments',
    method: 'POST',
    path: '/projects/{projectKey}/copy',
    summary: 'Copy parts of flags from one environment to others',
    description:
      `Up to ${MAX_COPIED_FLAGS} flags to up to ${MAX_COPY_TARGETS} environments, all in one transaction, each with an entry in the audit log. ` +
      'Permissions are those of a patch of each. What may not be changed, or needs approval, says so and stays as it is. A dry run has ' +
      'the same reply.',
    access: { action: 'update*', others: ['viewProject'] },
    params: ByProject,
    body: CopyPost,
    reply: { 200: CopyReply },
  },
  async (call, { changes, db }) => {
    const { from, to, flags, ...rest } = call.body;
    const project = await openProject(call, db, call.params.projectKey);
    const environments = await listEnvironments(db, project.id);
    const source = findByKey(environments, from);
    const targets = [...new Set(to)].map((key) => findByKey(environments, key));
    if (targets.includes(source)) throw problem('/to', 'must not have the environment `from`');
    const keys = new Set(flags.map(({ key }) => key));
    if (keys.size < flags.length) throw problem('/flags', 'must have each flag once');
    return await copyBetweenEnvironments(changes, call, {
      ...rest,
      project,
      from: source,
      to: targets,
      flags,
    });
  },
);

function findByKey(environments: readonly Environment[], key: string): Environment {
  const found = environments.find((environment) => environment.key === key);
  if (found === undefined) throw unknownThing('environment', key);
  return found;
}

export const environmentComparisonRoutes = [compare, copy];
