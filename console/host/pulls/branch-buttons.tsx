// The branch of a pull request: brought up to date while it is open, deleted or restored afterwards.
import { useChange, useRead } from '../../api/read.ts';
import { Button } from '../../ui/button.tsx';
import { ChangeError } from '../../ui/change-error.tsx';
import { toast } from '../../ui/toast-store.ts';
import { encodePath } from '../place.ts';
import { repositoryCall, TOPICS } from '../queries.ts';
import type { PullTabProps } from './files-tab.tsx';
import type { Pull } from './pull.ts';
import { useUpdateBranch } from './pull-queries.ts';
import { MERGE } from './pull-words.ts';

/** A row of the merge box; absent where the branch has every commit of its base. */
export function UpdateButton({ place, pull, rights, behindBy }: PullTabProps & { behindBy: number }) {
  const { base, head } = pull;
  const update = useUpdateBranch(place);
  if (behindBy === 0 || head.repo === null || !(rights.mayWrite || rights.isAuthor)) return null;
  return (
    <li>
      <span />
      <span>
        {MERGE.updateText(base.ref)}
        <ChangeError error={update.error} />
      </span>
      <Button
        size="sm"
        isBusy={update.isPending}
        onClick={() => update.mutate(head.sha, { onSuccess: () => toast({ text: MERGE.updated }) })}
      >
        {MERGE.update}
      </Button>
    </li>
  );
}

/** After a merge or a close, for those who may push there. Nobody else's branch and no default branch is offered. */
export function BranchButtons({ place, pull, rights }: PullTabProps) {
  const { head } = pull;
  const isOffered = head.repo !== null && head.ref !== head.repo.default_branch;
  const isOwnRepository = head.repo?.full_name === `${place.owner}/${place.repo}`;
  const mayChange = isOwnRepository ? rights.mayWrite : rights.isAuthor;
  if (!isOffered || !mayChange) return null;
  return <BranchChange pull={pull} />;
}

function BranchChange({ pull: { head } }: { pull: Pull }) {
  const place = { owner: head.repo!.owner.login, repo: head.repo!.name };
  const at = encodePath(head.ref);
  const { data, error } = useRead<{ ref: string }>({
    call: repositoryCall(place, `/git/ref/heads/${at}`),
    topics: TOPICS,
  });
  const remove = useChange<void>(
    () => ({ ...repositoryCall(place, `/git/refs/heads/${at}`), method: 'DELETE' }),
    TOPICS,
  );
  const restore = useChange<void>(
    () => ({
      ...repositoryCall(place, '/git/refs'),
      method: 'POST',
      body: { ref: `refs/heads/${head.ref}`, sha: head.sha },
    }),
    TOPICS,
  );
  const isGone = error?.status === 404;
  if (!isGone && data === undefined) return null;
  return (
    <div className="stack stack--8">
      <ChangeError error={remove.error ?? restore.error} />
      <div className="row row--wrap t13">
        <span className="grow">{isGone ? MERGE.restoreText(head.ref) : MERGE.deleteText(head.ref)}</span>
        {isGone ? (
          <Button size="sm" icon="branch" isBusy={restore.isPending} onClick={() => restore.mutate()}>
            {MERGE.restoreBranch}
          </Button>
        ) : (
          <Button size="sm" icon="trash" isBusy={remove.isPending} onClick={() => remove.mutate()}>
            {MERGE.deleteBranch}
          </Button>
        )}
      </div>
    </div>
  );
}
