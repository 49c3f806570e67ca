// Takes a deleted milestone from its issues, some at a time: there may be very many.
import type { BackgroundWork } from '../../kernel/http/protocol.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { lockRepository } from '../repositories/store.ts';
import { insertEventOfIssues } from '../timeline/store.ts';
import type { Milestone } from './model.ts';
import { takeFromSomeIssues } from './store.ts';

export const REMOVE_MILESTONE = 'host.remove-milestone';

/** The payload of the due work: what timelines say of it. */
export interface MilestoneRemoval extends Pick<Milestone, 'id' | 'title' | 'repositoryNumber'> {
  actorId: string | null;
  at: number;
}

/** Issues of one transaction. */
const AT_ONCE = 200;

/** The caller has locked the repository. Returns whether there may be more. */
export async function demilestoneSome(tx: Db, removal: MilestoneRemoval): Promise<boolean> {
  const { title, repositoryNumber, actorId, at } = removal;
  const issueIds = await takeFromSomeIssues(tx, removal, AT_ONCE);
  const event = { event: 'demilestoned', actorId, details: { milestone: { title } } };
  await insertEventOfIssues(tx, { repositoryNumber, issueIds }, event, at);
  return issueIds.length === AT_ONCE;
}

export function milestoneWork({ db }: Kernel): BackgroundWork {
  return {
    handlers: {
      async [REMOVE_MILESTONE]({ payload }, signal) {
        const removal = JSON.parse(payload) as MilestoneRemoval;
        const removeSome = async () =>
          await db.transaction().execute(async (tx) => {
            // The issues of a repository that is deleted go with it.
            const repository = await lockRepository(tx, removal.repositoryNumber);
            return repository !== undefined && (await demilestoneSome(tx, removal));
          });
        while (await removeSome()) signal.throwIfAborted();
      },
    },
  };
}
