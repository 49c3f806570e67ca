// Finds what a call about code references names, repositories, projects and references on branches, as far as the caller may see them.
import { problem } from '../../kernel/schema/schema.ts';
import type { Call } from '../../kernel/http/route.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { filterInSlices } from '../../kernel/yield-to-event-loop.ts';
import { openProject, unknownThing } from '../find-project.ts';
import { listProjectNames } from '../projects/store.ts';
import { projectResource } from '../policy/resources.ts';
import { codeRepositoryResource, type CodeBranch, type CodeRepository } from './model.ts';
import { findRepository, listRepositories, shareLockProjects } from './store.ts';
import { findBranch, listReferences, sumReferenceLengths, type ReferenceFilter } from './store-branches.ts';
import { joinReferences, type CodeReference } from './scan.ts';

export const VIEW = 'viewCodeRefsRepository';
export const UPDATE_BRANCHES = 'updateCodeRefsRepositoryBranches';

type Permissions = Pick<Call, 'can' | 'requirePermission'>;

/** With `hold`, locks the repository until the transaction ends. */
export async function openCodeRepository(
  call: Permissions,
  db: Db,
  name: string,
  hold?: 'hold',
): Promise<CodeRepository> {
  const repository = await findRepository(db, name, hold);
  if (repository === undefined) throw unknownThing('repository', name);
  call.requirePermission(codeRepositoryResource(repository), VIEW);
  return repository;
}

export async function openBranch(db: Db, repository: CodeRepository, name: string): Promise<CodeBranch> {
  const branch = await findBranch(db, repository, name);
  if (branch === undefined) throw unknownThing('branch', name);
  return branch;
}

/** Fails for callers who may see none at all; if there are none, this reveals nothing. */
export async function listVisibleRepositories(call: Permissions, db: Db): Promise<CodeRepository[]> {
  const all = await listRepositories(db);
  const seen = all.filter((repository) => call.can(codeRepositoryResource(repository), VIEW));
  if (seen.length === 0) call.requirePermission('code-reference-repository/*', VIEW);
  return seen;
}

/** The id of the project that a query names. */
export async function readProjectFilter(
  call: Permissions,
  db: Db,
  key: string | undefined,
): Promise<string | undefined> {
  return key === undefined ? undefined : (await openProject(call, db, key)).id;
}

interface ProjectsOfCaller {
  /** The keys of the projects that the caller may view, by id. */
  visible: Map<string, string>;
  hidden: string[];
}

/** Code tells of the flags in it: it is shown to those who may view their project. */
export async function readProjects(call: Permissions, db: Db): Promise<ProjectsOfCaller> {
  const projects = await listProjectNames(db);
  const seen = await filterInSlices(projects, (project) => call.can(projectResource(project), 'viewProject'));
  const visible = new Map(seen.map(({ id, key }) => [id, key]));
  return { visible, hidden: projects.filter(({ id }) => !visible.has(id)).map(({ id }) => id) };
}

/** For what a scan sends. Locks the projects that it names, and then the repository, whose scans must be enabled. */
export async function openForScan(
  call: Permissions,
  tx: Db,
  name: string,
  { field, projectKeys }: { field: string; projectKeys: Iterable<string> },
) {
  const projects = await requireProjects(tx, field, projectKeys);
  const repository = await openCodeRepository(call, tx, name, 'hold');
  const resource = codeRepositoryResource(repository);
  call.requirePermission(resource);
  requireEnabled(repository);
  return { repository, resource, projects };
}

/** The ids of projects that a body names, by key. An empty key names none. They stay until the transaction ends. */
async function requireProjects(tx: Db, field: string, keys: Iterable<string>): Promise<Map<string, string>> {
  const named = [...new Set(keys)].filter((key) => key !== '');
  const ids = await shareLockProjects(tx, named);
  const unknown = named.find((key) => !ids.has(key));
  if (unknown !== undefined) throw problem(field, `names a project that does not exist: ${unknown}`);
  return ids;
}

/** Fails where scans of the repository are switched off. */
function requireEnabled({ name, enabled }: CodeRepository): void {
  if (!enabled) throw problem('repo', `is disabled: scans of ${name} are not taken until it is enabled`);
}

/** Characters of JSON in one reply. One branch has less, because a scan is one body. */
const MAX_LENGTH = 10 * 1024 * 1024;

/** By the id of the branch. References to projects that the caller may not view are left out. */
export async function readReferences(
  db: Db,
  branches: readonly CodeBranch[],
  filter: ReferenceFilter,
  { visible }: ProjectsOfCaller,
): Promise<Map<string, CodeReference[]>> {
  const ids = branches.map(({ id }) => id);
  const isVisible = (projectId: string | null) => projectId === null || visible.has(projectId);
  const lengths = await sumReferenceLengths(db, ids, filter);
  const length = [...lengths].reduce((sum, [id, own]) => (isVisible(id) ? sum + own : sum), 0);
  if (length > MAX_LENGTH)
    throw problem('query', 'asks for too many references: name a flag by projKey and flagKey');
  const stored = (await listReferences(db, ids, filter)).filter(({ projectId }) => isVisible(projectId));
  const byBranch = Map.groupBy(stored, ({ branchId }) => branchId);
  const joined = new Map<string, CodeReference[]>();
  for (const id of ids) {
    const flags = (byBranch.get(id) ?? []).map(({ projectId, flagKey, doc }) => ({
      projectKey: projectId === null ? '' : visible.get(projectId)!,
      flagKey,
      doc,
    }));
    joined.set(id, await joinReferences(flags));
  }
  return joined;
}
