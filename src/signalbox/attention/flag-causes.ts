// What needs attention about flags: approvals that wait for the caller, and changes that are scheduled.
import type { ApprovalRequest } from '../../flags/approvals/model.ts';
import { countRemovable, listProjectsWithRemovable } from '../../flags/removable-flags/store.ts';
import type { Searcher } from '../search/source.ts';
import { pathOf } from '../search/model.ts';
import type { Cause } from './model.ts';
import { listAskedApprovals, listComingChanges } from './store-causes.ts';

const DAY = 24 * 60 * 60 * 1000;

/** Those that the caller was asked for, and has not reviewed yet. */
export async function findApprovals({ db, caller, projects }: Searcher): Promise<Cause[]> {
  const asked = await listAskedApprovals(db, caller.member.id);
  return asked.flatMap(({ id, projectId, flagName, environmentName, createdAt, doc }): Cause[] => {
    const project = projects.get(projectId);
    const { reviews, description } = JSON.parse(doc) as Pick<ApprovalRequest, 'reviews' | 'description'>;
    const isReviewed = reviews.some(({ kind, by }) => kind !== 'comment' && by.memberId === caller.member.id);
    if (project === undefined || isReviewed) return [];
    return [
      {
        id: `approval-${id}`,
        kind: 'approval',
        urgency: 'waiting',
        title: `${flagName} in ${environmentName}`,
        reason: `A change of the flag waits for your review${description === '' ? '' : `: ${description.slice(0, 200)}`}.`,
        at: createdAt,
        action: { label: 'Review', path: pathOf('approvals', id) },
      },
    ];
  });
}

export async function findScheduledChanges({ db, now, projects }: Searcher): Promise<Cause[]> {
  const coming = await listComingChanges(db, now, now + DAY);
  return coming.flatMap((change): Cause[] => {
    const project = projects.get(change.projectId);
    if (project === undefined) return [];
    const { id, executionAt, flagKey, flagName, environmentKey, environmentName } = change;
    return [
      {
        id: `scheduled-change-${id}`,
        kind: 'scheduled-change',
        urgency: 'coming',
        title: `${flagName} in ${environmentName}`,
        reason: 'A change of the flag is scheduled.',
        at: executionAt,
        action: {
          label: 'Look at the change',
          path: `${pathOf('flags', project.key, flagKey)}?env=${encodeURIComponent(environmentKey)}`,
        },
      },
    ];
  });
}

/** No more projects are asked. */
const MAX_PROJECTS = 100;

/** One for each project. Who looks at it may still find that a flag has changed within the hour. */
export async function findRemovableFlags({ db, now, projects }: Searcher): Promise<Cause[]> {
  const causes: Cause[] = [];
  for (const projectId of await listProjectsWithRemovable(db, MAX_PROJECTS)) {
    const project = projects.get(projectId);
    const found = project && (await countRemovable(db, projectId));
    if (found === undefined) continue;
    const { count } = found;
    causes.push({
      id: `removable-flags-${projectId}`,
      kind: 'removable-flags',
      urgency: 'coming',
      title: project!.name,
      reason: `${count === 1 ? 'A flag is' : `${count} flags are`} ready to be removed from the code.`,
      at: now,
      count,
      action: {
        label: 'See which',
        path: `${pathOf('flags', project!.key)}?filter=${encodeURIComponent('readyToRemove:true')}`,
      },
    });
  }
  return causes;
}
