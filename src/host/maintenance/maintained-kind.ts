// What maintenance needs to know about what it tidies: repositories and gists.
import type { Services } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Git } from '../git/git.ts';
import { findGistByNumber } from '../gists/store.ts';
import { findRepositoryByNumber } from '../repositories/store.ts';
import { MAINTAIN_GIST, MAINTAIN_REPOSITORY, type MaintenanceKind } from './schedule-maintenance.ts';
import { isGistWritten, isPushed } from './store.ts';

export interface MaintainedKind {
  work: MaintenanceKind;
  /** The field that names one of them in log lines. */
  logged: string;
  git(services: Services): Git;
  /** Whether there is a row that is not deleted. */
  exists(db: Db, number: number): Promise<boolean>;
  /** Whether a push is under way, on any node. */
  isPushed(db: Db, number: number): Promise<boolean>;
}

export const MAINTAINED_REPOSITORIES: MaintainedKind = {
  work: MAINTAIN_REPOSITORY,
  logged: 'repository',
  git: ({ git }) => git,
  exists: async (db, number) => (await findRepositoryByNumber(db, number)) !== undefined,
  isPushed,
};

export const MAINTAINED_GISTS: MaintainedKind = {
  work: MAINTAIN_GIST,
  logged: 'gist',
  git: ({ gistGit }) => gistGit,
  exists: async (db, number) => (await findGistByNumber(db, number)) !== undefined,
  isPushed: isGistWritten,
};
