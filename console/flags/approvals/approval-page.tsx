// One request: what it would change now, what others said, and what can be done with it. It changes while one looks.
import { useParams } from 'wouter';
import { useMay, useMe } from '../../app/me.ts';
import { usePageInfo } from '../../app/page-info.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { Banner } from '../../ui/banner.tsx';
import { Card, KeyValues } from '../../ui/card.tsx';
import { TextLink } from '../../ui/link.tsx';
import { PageHead, Section } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Key, Tag } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { MemberName } from '../people.tsx';
import { ApprovalActions } from './approval-actions.tsx';
import { ApprovalDifference } from './approval-difference.tsx';
import { ApprovalReviews } from './approval-reviews.tsx';
import { ApprovalState } from './approval-state.tsx';
import { countApprovals, flagHref, placeOf, type Approval } from './approval.ts';
import { useApproval } from './approvals-queries.ts';
import { APPROVAL, APPROVALS } from './approvals-words.ts';
import { StaleRequest } from './stale-request.tsx';
import { ReviewForm } from './review-form.tsx';

export default function ApprovalPage() {
  const { id } = useParams<{ id: string }>();
  const { data: approval, error, refetch } = useApproval(id);
  const title = titleOf(approval);
  usePageInfo([
    { label: APPROVALS.title, href: '/approvals' },
    { label: title, href: `/approvals/${encodeURIComponent(id)}`, copy: id },
  ]);
  return (
    <main id="main" className="page" tabIndex={-1}>
      {approval !== undefined ? (
        <ApprovalView key={id} approval={approval} title={title} />
      ) : error === null ? (
        <Skeleton lines={8} />
      ) : (
        <ReadProblem error={error} onRetry={() => void refetch()} />
      )}
    </main>
  );
}

function titleOf(approval: Approval | undefined): string {
  if (approval === undefined) return APPROVALS.title;
  return approval.description === '' ? APPROVALS.noDescription : approval.description;
}

function ApprovalView({ approval, title }: { approval: Approval; title: string }) {
  const place = placeOf(approval);
  const { data: me } = useMe();
  const { resourceId: resource } = approval;
  const [mayReview, mayApply, mayDelete] =
    useMay([
      { action: 'reviewApprovalRequest', resource },
      { action: 'applyApprovalRequest', resource },
      { action: 'deleteApprovalRequest', resource },
    ]) ?? [];
  return (
    <>
      <PageHead
        title={title}
        badge={<ApprovalState approval={approval} isPill />}
        meta={
          <>
            <TextLink href={flagHref(place)}>{place.flag}</TextLink>
            <span>
              {APPROVAL.in} <Tag>{place.environment}</Tag>
            </span>
            <span>
              {APPROVAL.asked} <MemberName id={approval.requestorId} />
            </span>
            <Time at={approval.creationDate} />
          </>
        }
        actions={
          <ApprovalActions
            approval={approval}
            ownId={me?.member.id}
            mayApply={mayApply === true}
            mayDelete={mayDelete === true}
          />
        }
      />
      <div className="cols">
        <div className="stack stack--24">
          {approval.conflicts.length > 0 && <Conflicts approval={approval} />}
          {approval.status !== 'completed' && (
            <StaleRequest approval={approval} mayDelete={mayDelete === true} />
          )}
          <ApprovalDifference approval={approval} />
          <Section title={APPROVAL.reviews}>
            <ApprovalReviews approval={approval} />
          </Section>
          {mayReview === true && <ReviewForm approval={approval} ownId={me?.member.id} />}
        </div>
        <aside className="stack stack--24" aria-label={APPROVAL.about}>
          <About approval={approval} />
        </aside>
      </div>
    </>
  );
}

function Conflicts({ approval }: { approval: Approval }) {
  return (
    <Banner tone="bad">
      <div className="stack stack--4">
        <b>{APPROVAL.conflicts}</b>
        {approval.conflicts.map(({ reason }) => (
          <span key={reason}>{reason}</span>
        ))}
      </div>
    </Banner>
  );
}

function About({ approval }: { approval: Approval }) {
  const { _id, creationDate, executionDate, comment = '', notifyMemberIds, notifyTeamKeys } = approval;
  const { project, environment, flag } = placeOf(approval);
  return (
    <Card title={APPROVAL.about}>
      <KeyValues
        items={[
          [
            APPROVAL.flag,
            <TextLink key="flag" href={flagHref(placeOf(approval))} isMono>
              {flag}
            </TextLink>,
          ],
          [APPROVAL.project, project],
          [APPROVAL.environment, environment],
          [APPROVAL.age, <Time key="age" at={creationDate} />],
          ...(executionDate === undefined
            ? []
            : [
                [APPROVAL.forTime, <Time key="time" at={executionDate} mode="absolute" />] as [
                  string,
                  React.ReactNode,
                ],
              ]),
          [
            APPROVAL.needs,
            APPROVAL.needsOf(countApprovals(approval), approval.approvalSettings.minNumApprovals),
          ],
          [
            APPROVAL.reviewers,
            notifyMemberIds.length + notifyTeamKeys.length === 0 ? (
              APPROVAL.anybody
            ) : (
              <span key="reviewers" className="row row--4 row--wrap">
                {notifyMemberIds.map((id) => (
                  <Tag key={id}>
                    <MemberName id={id} />
                  </Tag>
                ))}
                {notifyTeamKeys.map((key) => (
                  <Tag key={key}>{key}</Tag>
                ))}
              </span>
            ),
          ],
          ...(comment === '' ? [] : [[APPROVAL.reason, comment] as [string, string]]),
          [APPROVAL.id, <Key key="id">{_id}</Key>],
        ]}
      />
    </Card>
  );
}
