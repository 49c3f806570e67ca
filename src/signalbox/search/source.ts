// A source of the search: how one sort of thing is read, and which of them a caller may see.
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import { can } from '../../kernel/identity/policy.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { filterInSlices } from '../../kernel/yield-to-event-loop.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { listProjectNames, type ProjectName } from '../../flags/projects/store.ts';
import { projectResource } from '../../flags/policy/resources.ts';
import type { FoundItem } from './model.ts';
import type { IndexedKind, SearchRecord } from './terms.ts';

/** Who searches, and what they see as a whole. */
export interface Searcher {
  kernel: Kernel;
  db: Db;
  caller: KnownCaller;
  now: number;
  accountId: string;
  can(resource: string, action: string): boolean;
  /** By id: the projects that the caller may view. */
  projects: ReadonlyMap<string, ProjectName>;
  seesAllProjects: boolean;
}

export interface SearchSource<Found extends SearchRecord = SearchRecord> {
  /** Its name in the index and in the log of changes. */
  name: string;
  kinds: readonly IndexedKind[];
  /** Those that are there. */
  read(db: Db, ids: readonly string[]): Promise<Found[]>;
  /** One of these a thing must have as a scope, so that the caller may see it. Undefined where that cannot be said beforehand. */
  scopesOf?(searcher: Searcher): readonly string[] | undefined;
  /**
   * Those that the API that owns them would show to the caller. `isNamed`: the caller has given the id, which is all that some
   * things need.
   */
  show(searcher: Searcher, found: readonly Found[], isNamed: boolean): Promise<FoundItem[]>;
}

export async function openSearcher(kernel: Kernel, caller: KnownCaller, now: number): Promise<Searcher> {
  const { db } = kernel;
  const all = await listProjectNames(db);
  const visible = await filterInSlices(all, (project) =>
    can(caller, 'viewProject', projectResource(project)),
  );
  return {
    kernel,
    db,
    caller,
    now,
    accountId: accountOf(caller).id,
    can: (resource, action) => can(caller, action, resource),
    projects: new Map(visible.map((project) => [project.id, project])),
    seesAllProjects: visible.length === all.length,
  };
}
