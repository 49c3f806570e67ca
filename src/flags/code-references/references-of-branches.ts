// Reads the references on branches that a caller may see, up to a limit.
import { problem } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { CodeBranch } from './model.ts';
import type { ProjectsOfCaller } from './open-repository.ts';
import { joinReferences, type CodeReference } from './scan.ts';
import { listReferences, sumReferenceLengths, type ReferenceFilter } from './store-branches.ts';

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
