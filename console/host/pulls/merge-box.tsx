// Whether a pull request can be merged, with every reason why not, and the merge itself.
import type { ReactNode } from 'react';
import { Card } from '../../ui/card.tsx';
import { formatCount } from '../../ui/format.ts';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { TextLink } from '../../ui/link.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Key } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { loginOf } from '../issues/issue.ts';
import { BranchButtons, UpdateButton } from './branch-buttons.tsx';
import type { PullTabProps } from './files-tab.tsx';
import { MergeForm } from './merge-form.tsx';
import {
  verdictsOf,
  type CheckStatus,
  type MergeCheck,
  type Pull,
  type Review,
  type Thread,
} from './pull.ts';
import { useMergeCheck, useReviews, useStatuses, useThreads } from './pull-queries.ts';
import { MERGE } from './pull-words.ts';
import { useMergeMethod } from './use-merge-method.ts';
import '../../styles/pulls.css';

export function MergeBox(props: PullTabProps) {
  const { place, pull, rights } = props;
  if (pull.merged || pull.state === 'closed')
    return (
      <Card icon="merge" title={pull.merged ? MERGE.merged : MERGE.closed}>
        <div className="stack">
          {pull.merged && (
            <p className="t13">
              {MERGE.mergedBy(loginOf(pull.merged_by))}{' '}
              {pull.merged_at !== null && <Time at={pull.merged_at} />}
            </p>
          )}
          <BranchButtons place={place} pull={pull} rights={rights} />
        </div>
      </Card>
    );
  return <OpenMergeBox {...props} />;
}

function OpenMergeBox({ place, pull, rights }: PullTabProps) {
  const [wanted, choose] = useMergeMethod();
  const { data: check, error, refetch } = useMergeCheck(place, wanted, pull.mergeable === null);
  const { data: combined } = useStatuses(place, pull.head.sha);
  const { rows: reviews } = useReviews(place);
  const { threads, isKnown } = useThreads(place);
  if (check === undefined)
    return error === null ? (
      <Skeleton lines={4} />
    ) : (
      <ReadProblem error={error} onRetry={() => void refetch()} />
    );
  const { reasons } = check;
  return (
    <Card
      label={MERGE.label}
      icon="merge"
      title={check.isMergeable ? MERGE.ready : MERGE.notReady(reasons.length)}
      isFlush
      footer={
        rights.mayWrite && (
          <MergeForm place={place} pull={pull} check={check} wanted={wanted} onMethod={choose} />
        )
      }
    >
      <ul className="why">
        {reasons.map((reason) => (
          <Reason key={`${reason.code} ${reason.message}`} reason={reason} />
        ))}
        <GoodPoints check={check} pull={pull} reviews={reviews} />
        {isKnown && <Conversations threads={threads} check={check} />}
        {combined?.statuses.map((status) => (
          <Check key={status.id} status={status} />
        ))}
        {combined !== undefined && combined.total_count > combined.statuses.length && (
          <Point icon="half" tone="muted">
            {MERGE.moreChecks(formatCount(combined.total_count - combined.statuses.length))}
          </Point>
        )}
        <UpdateButton place={place} pull={pull} rights={rights} behindBy={check.behindBy} />
      </ul>
    </Card>
  );
}

type PointTone = 'ok' | 'bad' | 'run' | 'warn' | 'muted';

interface PointProps {
  icon: IconName;
  tone: PointTone;
  children: ReactNode;
  action?: ReactNode;
}

function Point({ icon, tone, children, action }: PointProps) {
  return (
    <li>
      <span className={tone}>
        <Icon name={icon} />
      </span>
      <span>{children}</span>
      {action}
    </li>
  );
}

/** What will be so by itself is waited for; what somebody has to do is not there yet. */
const WAITING = new Set(['unchecked']);

function Reason({ reason: { code, message } }: { reason: MergeCheck['reasons'][number] }) {
  const isWaiting = WAITING.has(code);
  return (
    <Point icon={isWaiting ? 'half' : 'err'} tone={isWaiting ? 'run' : 'bad'}>
      {MERGE.titles[code] ?? code}
      <small>{message}</small>
    </Point>
  );
}

function GoodPoints({
  check,
  pull,
  reviews = [],
}: {
  check: MergeCheck;
  pull: Pull;
  reviews?: readonly Review[] | undefined;
}) {
  const hasCode = (...codes: string[]) => check.reasons.some(({ code }) => codes.includes(code));
  const verdicts = verdictsOf(reviews);
  const by = (state: Review['state']) =>
    verdicts.filter((one) => one.state === state).map(({ user }) => loginOf(user));
  const [approved, refused] = [by('APPROVED'), by('CHANGES_REQUESTED')];
  return (
    <>
      {!hasCode('conflicts', 'unchecked', 'baseGone') && (
        <Point icon="ok" tone="ok">
          {MERGE.noConflicts} <Key>{pull.base.ref}</Key>
        </Point>
      )}
      {refused.length > 0 && (
        <Point icon="err" tone="bad">
          {MERGE.changesAsked(refused.join(', '))}
        </Point>
      )}
      {approved.length > 0 && (
        <Point icon="ok" tone="ok">
          {MERGE.approved(approved.join(', '))}
        </Point>
      )}
    </>
  );
}

function Conversations({ threads, check }: { threads: readonly Thread[]; check: MergeCheck }) {
  if (threads.length === 0) return null;
  const open = threads.filter(({ facts }) => facts?.isResolved === false).length;
  const isRequired = check.reasons.some(({ code }) => code === 'conversations');
  if (open === 0)
    return (
      <Point icon="ok" tone="ok">
        {MERGE.resolved}
      </Point>
    );
  return (
    <Point icon="ring" tone={isRequired ? 'bad' : 'muted'}>
      {MERGE.open(open)}
    </Point>
  );
}

const CHECK_LOOK: Readonly<Record<CheckStatus['state'], [IconName, PointTone]>> = {
  success: ['ok', 'ok'],
  failure: ['err', 'bad'],
  error: ['err', 'bad'],
  pending: ['half', 'run'],
};

function Check({ status }: { status: CheckStatus }) {
  const { context, state, description, target_url: url } = status;
  const [icon, tone] = CHECK_LOOK[state];
  const isLink = url !== null && /^https?:\/\//i.test(url);
  return (
    <Point
      icon={icon}
      tone={tone}
      action={
        isLink && (
          <TextLink href={url} isExternal>
            {MERGE.details}
          </TextLink>
        )
      }
    >
      <b className="mono t12">{context}</b> {MERGE.checks[state]}
      {description !== null && description !== '' && <small>{description}</small>}
    </Point>
  );
}
