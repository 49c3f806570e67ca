// One issue: what it says, what happened to it, and what can be done with it.
import { useEffect } from 'react';
import { useLocation, useParams } from 'wouter';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { Button } from '../../ui/button.tsx';
import { ChangeError } from '../../ui/change-error.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Badge } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { repositoryHref, type RepositoryPlace } from '../place.ts';
import { RepositoryFrame } from '../repository-frame.tsx';
import type { Repository } from '../repository.ts';
import { CommentForm } from './comment-form.tsx';
import { loginOf, outcomeOf, type Issue } from './issue.ts';
import { useEditIssue, useIssue } from './issue-queries.ts';
import { IssueSide } from './issue-side.tsx';
import { IssueState } from './issue-state.tsx';
import { IssueTitle } from './issue-title.tsx';
import { ISSUE, ISSUES } from './issue-words.ts';
import { LockButton } from './lock-button.tsx';
import { useRights, type Rights } from './rights.ts';
import { TextCard } from './text-card.tsx';
import { TimelineView } from './timeline.tsx';
import '../../styles/issues.css';

export default function IssuePage() {
  const { owner, repo, number } = useParams<{ owner: string; repo: string; number: string }>();
  const place = { owner, repo };
  const list = `${repositoryHref(place)}/issues`;
  return (
    <RepositoryFrame
      place={place}
      tab="issues"
      isBare
      crumbs={[{ label: ISSUES.issues, href: list }, { label: `#${number}` }]}
    >
      {(repository) => (
        <IssueView
          key={`${owner}/${repo}#${number}`}
          place={place}
          repository={repository}
          number={Number(number)}
        />
      )}
    </RepositoryFrame>
  );
}

interface IssueViewProps {
  place: RepositoryPlace;
  repository: Repository;
  number: number;
}

function IssueView({ place, repository, number }: IssueViewProps) {
  const { data: issue, error, refetch } = useIssue(place, number);
  const [, navigate] = useLocation();
  const rights = useRights(repository, issue);
  const isPull = issue?.pull_request !== undefined;
  // A number of a pull request leads to the page that it has.
  useEffect(() => {
    if (isPull) navigate(`${repositoryHref(place)}/pulls/${number}`, { replace: true });
  }, [isPull, navigate, place, number]);
  if (issue === undefined || isPull)
    return error === null ? (
      <Skeleton lines={8} />
    ) : (
      <ReadProblem error={error} onRetry={() => void refetch()} />
    );
  const mayEdit = rights.mayChangeTextOf(issue.user);
  return (
    <>
      <IssueTitle
        place={place}
        number={number}
        title={issue.title}
        mayEdit={mayEdit}
        meta={
          <>
            <IssueState outcome={outcomeOf(issue)} isPull={false} isPill />
            <span>
              {loginOf(issue.user)} · <Time at={issue.created_at} />
            </span>
            {issue.locked && <Badge icon="lock">{ISSUE.lockedMark}</Badge>}
          </>
        }
      />
      <div className="cols cols--talk">
        <div className="stack stack--16">
          <TextCard
            place={place}
            subject={`/issues/${number}`}
            text={issue}
            mayEdit={mayEdit}
            mayDelete={false}
            reactReason={rights.whyNoComment}
          />
          <TimelineView place={place} number={number} rights={rights} />
          <CommentForm
            place={place}
            number={number}
            rights={rights}
            renderActions={
              rights.isAuthor || rights.mayTriage
                ? (send, hasText) => <StateButtons {...{ place, issue, send, hasText }} />
                : undefined
            }
          />
        </div>
        <SideOf place={place} issue={issue} rights={rights} />
      </div>
    </>
  );
}

function SideOf({ place, issue, rights }: { place: RepositoryPlace; issue: Issue; rights: Rights }) {
  return (
    <div className="stack stack--16">
      <IssueSide place={place} issue={issue} rights={rights} list="issues" />
      {rights.mayWrite && (
        <p>
          <LockButton place={place} number={issue.number} isLocked={issue.locked} />
        </p>
      )}
    </div>
  );
}

interface StateButtonsProps {
  place: RepositoryPlace;
  issue: Issue;
  send: (then: () => void) => void;
  hasText: boolean;
}

function StateButtons({ place, issue, send, hasText }: StateButtonsProps) {
  const edit = useEditIssue(place, issue.number);
  if (issue.state === 'closed')
    return (
      <>
        <ChangeError error={edit.error} />
        <Button
          icon="redo"
          isBusy={edit.isPending}
          onClick={() => send(() => edit.mutate({ state: 'open', state_reason: 'reopened' }))}
        >
          {ISSUE.reopen}
        </Button>
      </>
    );
  const close = (reason: string) => send(() => edit.mutate({ state: 'closed', state_reason: reason }));
  return (
    <>
      <ChangeError error={edit.error} />
      <Button icon="ok" isBusy={edit.isPending} onClick={() => close('completed')}>
        {hasText ? ISSUE.commentAndClose : ISSUE.close}
      </Button>
      <Menu
        trigger={<Button icon="down" label={ISSUE.closeOtherwise} />}
        items={Object.entries(ISSUE.closeAs).map(([reason, label]) => ({
          label,
          onSelect: () => close(reason),
        }))}
      />
    </>
  );
}
