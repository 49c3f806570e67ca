// Extinctions: commits that removed the last reference to a flag. Create and list.
import { route } from '../../kernel/http/route.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { PlainText, problem, Type } from '../../kernel/schema/schema.ts';
import { Instant, Key } from '../fields.ts';
import { Links, linkTo, toCollection } from '../links.ts';
import { PageQuery, sliceOf } from '../lists/list-query.ts';
import { ByBranch } from './branch-routes.ts';
import { Done, REPOSITORIES, codeRepositoryResource } from './model.ts';
import {
  listVisibleRepositories,
  openBranch,
  openCodeRepository,
  openForScan,
  readProjectFilter,
  readProjects,
  UPDATE_BRANCHES,
  VIEW,
} from './open-repository.ts';
import { named } from './repository-routes.ts';
import { findBranchesByName } from './store-branches.ts';
import { insertExtinctions, listExtinctions, type Extinction, type ExtinctionFilter } from './store.ts';

const ExtinctionSchema = Type.Object(
  {
    revision: PlainText({ minLength: 1, maxLength: 256, description: 'The commit' }),
    message: PlainText({ maxLength: 10_000, description: 'The message of the commit' }),
    time: Instant('When it was committed, in epoch milliseconds'),
    flagKey: Key(),
    projKey: Key(),
  },
  { $id: 'Extinction' },
);

const ExtinctionRep = Type.Object(
  { ...ExtinctionSchema.properties, _links: Links },
  { $id: 'ExtinctionRep' },
);

const postExtinctions = route(
  {
    id: 'postExtinction',
    method: 'POST',
    path: `${REPOSITORIES}/{repo}/branches/{branch}/extinction-events`,
    summary: 'Record commits that removed the last reference to a flag',
    description: 'What is recorded already is passed over.',
    access: { action: UPDATE_BRANCHES, others: [VIEW] },
    params: ByBranch,
    body: Type.Array(ExtinctionSchema, { maxItems: 1000 }),
    reply: { 200: Done },
  },
  async (call, { changes, db }) => {
    const { body, params, now } = call;
    // First of all: the body may name projects that the caller must not know of.
    call.requirePermission(codeRepositoryResource(await openCodeRepository(call, db, params.repo)));
    await changes.run(call, async (tx) => {
      const { repository, resource, projects } = await openForScan(call, tx.db, params.repo, {
        field: 'projKey',
        projectKeys: body.map(({ projKey }) => projKey),
      });
      const branch = await openBranch(tx.db, repository, params.branch);
      const extinctions = body.map(({ projKey, ...rest }) => ({
        ...rest,
        projectId: projects.get(projKey)!,
      }));
      if ((await insertExtinctions(tx.db, branch.id, extinctions, now)) === 0) return;
      tx.record({
        accesses: [{ action: UPDATE_BRANCHES, resource }],
        ...named(repository),
        verb: `recorded extinctions on the branch ${branch.name} of the repository`,
        description: [...new Set(body.map(({ flagKey }) => `* \`${flagKey}\``))].slice(0, 100).join('\n'),
      });
    });
    return {};
  },
);

const getExtinctions = route(
  {
    id: 'getExtinctions',
    method: 'GET',
    path: '/code-refs/extinctions',
    summary: 'List extinctions by flag, the latest first',
    description: 'Those on default branches, unless `branchName` names another.',
    access: { action: VIEW, others: ['viewProject'] },
    query: Type.Object({
      ...PageQuery,
      repoName: Type.Optional(Type.String()),
      branchName: Type.Optional(Type.String()),
      projKey: Type.Optional(Type.String()),
      flagKey: Type.Optional(Type.String()),
      from: Type.Optional(Instant('The earliest time of the commit; goes with `to`')),
      to: Type.Optional(Instant('The latest time of the commit; goes with `from`')),
    }),
    reply: {
      200: Type.Object(
        {
          items: Type.Record(Type.String(), Type.Array(ExtinctionRep)),
          totalCount: Type.Integer(),
          _links: Links,
        },
        { $id: 'ExtinctionCollectionRep' },
      ),
    },
  },
  async (call, { db }) => {
    const { repoName, branchName, projKey, flagKey, from, to } = call.query;
    if ((from === undefined) !== (to === undefined))
      throw problem('from', 'goes with to: give both or neither');
    const repositories =
      repoName === undefined
        ? await listVisibleRepositories(call, db)
        : [await openCodeRepository(call, db, repoName)];
    const projectId = await readProjectFilter(call, db, projKey);
    const { visible, hidden } = await readProjects(call, db);
    const ids = repositories.map(({ id }) => id);
    const branches = await findBranchesByName(db, ids, branchName);
    const slice = sliceOf(call.query, 1000, 1000);
    const filter = { branchIds: branches.map(({ id }) => id), flagKey, from, to };
    const projects = projectId === undefined ? shorter([...visible.keys()], hidden) : only(projectId);
    const page =
      filter.branchIds.length === 0
        ? new Page<Extinction>([], 0, slice)
        : await listExtinctions(db, { ...filter, projects }, slice);
    const names = new Map(repositories.map(({ id, name }) => [id, name]));
    const linkOf = new Map(
      branches.map(({ id, name, repositoryId }) => [
        id,
        { branchName: name, repoName: names.get(repositoryId)! },
      ]),
    );
    const shown = page.items.map(({ projectId: id, branchId, ...rest }) => {
      const one = { ...rest, projKey: visible.get(id)! };
      return { ...one, _links: { self: selfOf(one, linkOf.get(branchId)!) } };
    });
    const byFlag = Map.groupBy(shown, (one) => one.flagKey);
    return { ...toCollection(page, call), items: Object.fromEntries(byFlag) };
  },
);

export const extinctionRoutes = [postExtinctions, getExtinctions];

/** The list, narrowed to the commits of this moment. */
function selfOf(
  { projKey, flagKey, time }: { projKey: string; flagKey: string; time: number },
  branch: { repoName: string; branchName: string },
) {
  const query = new URLSearchParams({ ...branch, projKey, flagKey, from: `${time}`, to: `${time}` });
  return linkTo(`/code-refs/extinctions?${query.toString()}`);
}

function only(id: string): ExtinctionFilter['projects'] {
  return { ids: [id], areHidden: false };
}

/** A statement takes so many ids; with none hidden, it needs none. */
function shorter(visible: string[], hidden: string[]): ExtinctionFilter['projects'] {
  if (hidden.length === 0) return undefined;
  return hidden.length < visible.length
    ? { ids: hidden, areHidden: true }
    : { ids: visible.length === 0 ? [''] : visible, areHidden: false };
}
