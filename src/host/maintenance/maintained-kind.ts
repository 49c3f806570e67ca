// What maintenance needs to know about what it tidies: repositories here, gists in their own part.
import type { Services } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Git } from '../git/git.ts';
import { findRepositoryByNumber } from '../repositories/store.ts';
import { MAINTAIN_REPOSITORY, type MaintenanceKind } from './schedule-maintenance.ts';
import { isPushed } from './store.ts';

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
