// Branches of repositories: list, get, put a scan, delete several.
import { Failure } from '../../kernel/failure.ts';
import { newId } from '../../kernel/id.ts';
import { route } from '../../kernel/http/route.ts';
import { problem, Type } from '../../kernel/schema/schema.ts';
import { Links, linkTo } from '../links.ts';
import {
  Done,
  BranchName,
  BranchPut,
  BranchRep,
  DescribedBranchPut,
  REPOSITORIES,
  codeRepositoryResource,
  toBranchRep,
  type CodeBranch,
  type CodeRepository,
} from './model.ts';
import {
  openBranch,
  openCodeRepository,
  openForScan,
  readProjectFilter,
  readProjects,
  UPDATE_BRANCHES,
  VIEW,
  readReferences,
} from './open-repository.ts';
import { ByRepository, named } from './repository-routes.ts';
import { readScan, MAX_HUNKS } from './scan.ts';
import {
  countBranches,
  deleteBranches,
  findBranch,
  insertBranch,
  listBranches,
  replaceReferences,
  updateBranch,
} from './store-branches.ts';

const MAX_BRANCHES = 500;
export const ByBranch = Type.Object({
  ...ByRepository.properties,
  branch: Type.String({ description: 'The name of the branch, URL-encoded' }),
});

const getBranches = route(
  {
    id: 'getBranches',
    method: 'GET',
    path: `${REPOSITORIES}/{repo}/branches`,
    summary: 'List the branches of a repository by name',
    access: { action: VIEW },
    params: ByRepository,
    reply: {
      200: Type.Object(
        { items: Type.Array(BranchRep), totalCount: Type.Integer(), _links: Links },
        { $id: 'BranchCollectionRep' },
      ),
    },
  },
  async (call, { db }) => {
    const repository = await openCodeRepository(call, db, call.params.repo);
    const branches = await listBranches(db, [repository.id]);
    const items = branches.map((branch) => toBranchRep(repository, branch));
    const parent = `${REPOSITORIES}/${repository.name}`;
    const _links = { self: linkTo(`${parent}/branches`), parent: linkTo(parent) };
    return { items, totalCount: items.length, _links };
  },
);

const getBranch = route(
  {
    id: 'getBranch',
    method: 'GET',
    path: `${REPOSITORIES}/{repo}/branches/{branch}`,
    summary: 'Get a branch, with its references',
    description: 'References are shown to those who may view the project of the flag.',
    access: { action: VIEW, others: ['viewProject'] },
    params: ByBranch,
    query: Type.Object({
      projKey: Type.Optional(Type.String({ description: 'Only references to flags of this project' })),
      flagKey: Type.Optional(Type.String({ description: 'Only references to flags of this key' })),
    }),
    reply: { 200: BranchRep },
  },
  async (call, { db }) => {
    const { projKey, flagKey } = call.query;
    const repository = await openCodeRepository(call, db, call.params.repo);
    const branch = await openBranch(db, repository, call.params.branch);
    const projectId = await readProjectFilter(call, db, projKey);
    const projects = await readProjects(call, db);
    const references = await readReferences(db, [branch], { projectId, flagKey }, projects);
    return toBranchRep(repository, branch, references.get(branch.id));
  },
);

const putBranch = route(
  {
    id: 'putBranch',
    method: 'PUT',
    path: `${REPOSITORIES}/{repo}/branches/{branch}`,
    summary: 'Put the scan of a branch in place of the one before',
    description:
      'The branch is created where it is new. A scan whose `updateSequenceId` is not above that of the last one is refused ' +
      'with 409; one without always counts. References stay as they were found until the next scan, also those to a flag ' +
      'that is deleted meanwhile; those of a project are deleted with it.',
    access: { action: UPDATE_BRANCHES, others: [VIEW] },
    params: ByBranch,
    body: BranchPut,
    bodyKeys: 10 * MAX_HUNKS,
    consumes: () => ({ 'application/json': DescribedBranchPut }),
    reply: { 200: BranchRep },
  },
  async (call, { changes, db }) => {
    const { body, params, now } = call;
    // Before the scan is read, which is work.
    call.requirePermission(codeRepositoryResource(await openCodeRepository(call, db, params.repo)));
    if (body.name !== params.branch) throw problem('name', 'must be that of the path');
    const { references, commitTime, ...fields } = body;
    const { flags, fileCount, hunkCount } = await readScan(references ?? []);
    const commit = commitTime === undefined ? {} : { commitTime: readTime(commitTime) };
    return await changes.run(call, async (tx) => {
      const { repository, resource, projects } = await openForScan(call, tx.db, params.repo, {
        field: 'references',
        projectKeys: flags.map(({ projectKey }) => projectKey),
      });
      const before = await findBranch(tx.db, repository, params.branch);
      checkSequence(before, fields.updateSequenceId);
      const { id = newId(now), updateSequenceId } = before ?? {};
      const scanned = { ...(updateSequenceId !== undefined && { updateSequenceId }), ...fields, ...commit };
      const after: CodeBranch = { id, repositoryId: repository.id, ...scanned, fileCount, hunkCount };
      if (before !== undefined) await updateBranch(tx.db, after);
      else {
        if ((await countBranches(tx.db, [repository.id])) >= MAX_BRANCHES)
          throw problem('name', `would be one more than ${MAX_BRANCHES} branches: delete some`);
        await insertBranch(tx.db, after);
      }
      const stored = flags.map((flag) => ({ ...flag, projectId: projects.get(flag.projectKey) ?? null }));
      await replaceReferences(tx.db, after, stored);
      tx.record({
        accesses: [{ action: UPDATE_BRANCHES, resource }],
        ...named(repository),
        verb: `scanned the branch ${after.name} of the repository`,
        ...(before && { before: toRecord(repository, before) }),
        after: toRecord(repository, after),
      });
      return toBranchRep(repository, after);
    });
  },
);

const postDeletion = route(
  {
    id: 'deleteBranches',
    worksOnFullDisk: true,
    method: 'POST',
    path: `${REPOSITORIES}/{repo}/branch-delete-tasks`,
    summary: 'Delete branches by name, with their references and extinctions',
    description: 'Names that there are not are passed over.',
    access: { action: UPDATE_BRANCHES, others: [VIEW] },
    params: ByRepository,
    body: Type.Array(BranchName, { maxItems: 1000 }),
    reply: { 200: Done },
  },
  async (call, { changes }) => {
    await changes.run(call, async (tx) => {
      const repository = await openCodeRepository(call, tx.db, call.params.repo, 'hold');
      const resource = codeRepositoryResource(repository);
      call.requirePermission(resource);
      for (const branch of await deleteBranches(tx.db, repository, [...new Set(call.body)])) {
        tx.record({
          accesses: [{ action: UPDATE_BRANCHES, resource }],
          ...named(repository),
          verb: `deleted the branch ${branch.name} of the repository`,
          before: toRecord(repository, branch),
        });
      }
    });
    return {};
  },
);

export const branchRoutes = [getBranches, getBranch, putBranch, postDeletion];

function checkSequence(before: CodeBranch | undefined, wanted: number | undefined): void {
  const last = before?.updateSequenceId;
  if (last === undefined || wanted === undefined || wanted > last) return;
  throw new Failure('conflict', `updateSequenceId must be above that of the last scan, which was ${last}`, {
    code: 'updateSequenceId_conflict',
  });
}

function readTime(time: number | string): number {
  const ms = typeof time === 'number' ? time : Date.parse(time);
  if (Number.isNaN(ms)) throw problem('commitTime', 'must be epoch milliseconds, or a date and time');
  return ms;
}

/** For the audit log: how much was found, and not the code itself. */
function toRecord(repository: CodeRepository, branch: CodeBranch) {
  const { fileCount, hunkCount } = branch;
  return { ...toBranchRep(repository, branch), fileCount, hunkCount };
}
