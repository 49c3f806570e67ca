// One pull request: its conversation, its commits and its files, and the review that is being written.
import { useMemo } from 'react';
import { useParams } from 'wouter';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { formatCount } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { Popover } from '../../ui/popover.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Badge, Key } from '../../ui/status.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { CommitList } from '../commits/commit-list.tsx';
import { loginOf, outcomeOf } from '../issues/issue.ts';
import { IssueState } from '../issues/issue-state.tsx';
import { IssueTitle } from '../issues/issue-title.tsx';
import { ISSUE, ISSUES } from '../issues/issue-words.ts';
import { useRights } from '../issues/rights.ts';
import { repositoryHref } from '../place.ts';
import { RepositoryFrame } from '../repository-frame.tsx';
import type { Repository } from '../repository.ts';
import { ConversationTab } from './conversation-tab.tsx';
import { FilesTab, type PullTabProps } from './files-tab.tsx';
import { FinishReview } from './finish-review.tsx';
import type { Pull } from './pull.ts';
import { usePull, usePullCommits, usePullFiles, type PullPlace } from './pull-queries.ts';
import { PULL } from './pull-words.ts';
import { ReviewDraftProvider } from './review-draft.tsx';
import '../../styles/issues.css';
import '../../styles/pulls.css';

const TABS = ['conversation', 'commits', 'files'] as const;
type PullTab = (typeof TABS)[number];

interface Params {
  owner: string;
  repo: string;
  number: string;
  tab?: string;
  [name: string]: string | undefined;
}

export default function PullPage() {
  const { owner, repo, number, tab: named } = useParams<Params>();
  const place = useMemo(() => ({ owner, repo, number: Number(number) }), [owner, repo, number]);
  const tab = TABS.find((one) => one === named) ?? 'conversation';
  const list = `${repositoryHref(place)}/pulls`;
  // Read beside the repository, which the page waits for.
  usePull(place);
  usePullFiles(place, { isEnabled: tab === 'files' });
  return (
    <RepositoryFrame
      place={place}
      tab="pulls"
      isBare
      crumbs={[{ label: ISSUES.pulls, href: list }, { label: `#${number}` }]}
    >
      {(repository) => (
        <ReviewDraftProvider key={`${owner}/${repo}#${number}`} place={place}>
          <PullView place={place} repository={repository} tab={tab} page={`${list}/${number}`} />
        </ReviewDraftProvider>
      )}
    </RepositoryFrame>
  );
}

interface PullViewProps {
  place: PullPlace;
  repository: Repository;
  tab: PullTab;
  page: string;
}

function PullView({ place, repository, tab, page }: PullViewProps) {
  const { data: pull, error, refetch } = usePull(place);
  const rights = useRights(repository, pull);
  if (pull === undefined)
    return error === null ? (
      <Skeleton lines={8} />
    ) : (
      <ReadProblem error={error} onRetry={() => void refetch()} />
    );
  const counts = {
    conversation: pull.comments + pull.review_comments,
    commits: pull.commits,
    files: pull.changed_files,
  };
  const props = { place, pull, rights };
  return (
    <>
      <IssueTitle
        place={place}
        number={pull.number}
        title={pull.title}
        mayEdit={rights.mayChangeTextOf(pull.user)}
        meta={<PullMeta pull={pull} />}
        actions={
          <>
            <CheckOut pull={pull} />
            {pull.state === 'open' && <FinishReview {...props} />}
          </>
        }
      />
      <Tabs
        label={PULL.title}
        items={TABS.map((one) => ({
          href: one === 'conversation' ? page : `${page}/${one}`,
          label: PULL.tabs[one],
          count: counts[one],
          isCurrent: one === tab,
        }))}
      />
      {tab === 'conversation' && <ConversationTab {...props} />}
      {tab === 'commits' && <CommitsTab {...props} />}
      {tab === 'files' && <FilesTab {...props} />}
    </>
  );
}

function PullMeta({ pull }: { pull: Pull }) {
  const { head, base, commits } = pull;
  const isFork = head.repo?.full_name !== base.repo?.full_name;
  const words = pull.merged
    ? PULL.merged(loginOf(pull.merged_by), formatCount(commits), commits === 1)
    : PULL.wants(loginOf(pull.user), formatCount(commits), commits === 1);
  const outcome = pull.merged ? 'merged' : outcomeOf(pull);
  return (
    <>
      <IssueState outcome={outcome} isPull isPill />
      <span>{words}</span>
      <span className="pull-refs">
        <Key>{head.repo === null ? PULL.goneHead : isFork ? head.label : head.ref}</Key>
        <Icon name="aright" />
        <span className="vh">{PULL.into}</span>
        <Key>{base.ref}</Key>
      </span>
      {pull.locked && <Badge icon="lock">{ISSUE.lockedMark}</Badge>}
    </>
  );
}

function CheckOut({ pull: { number, head } }: { pull: Pull }) {
  // A name that a shell would read as more than a name is written by its number.
  const branch = /^[\w./-]+$/.test(head.ref) && !head.ref.startsWith('-') ? head.ref : `pull-${number}`;
  return (
    <Popover
      label={PULL.checkOut}
      alignment="end"
      trigger={
        <Button icon="branch" hasCaret>
          {PULL.checkOut}
        </Button>
      }
    >
      <div className="stack stack--8 check-out">
        <p className="t13">{PULL.checkOutText}</p>
        <CodeBlock
          text={`git fetch origin pull/${number}/head:${branch}\ngit switch ${branch}`}
          copyLabel={PULL.copyCheckOut}
        />
      </div>
    </Popover>
  );
}

function CommitsTab({ place }: PullTabProps) {
  const { rows, error, retry, hasMore, isReadingMore, readMore } = usePullCommits(place);
  if (error !== null) return <ReadProblem error={error} onRetry={retry} />;
  if (rows === undefined) return <Skeleton lines={6} />;
  if (rows.length === 0) return <p className="muted">{PULL.noCommits}</p>;
  return (
    <div className="stack stack--16">
      <CommitList place={place} commits={rows} />
      {hasMore && (
        <Button isBusy={isReadingMore} onClick={readMore}>
          {PULL.moreCommits}
        </Button>
      )}
    </div>
  );
}
