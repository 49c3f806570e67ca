// One code-scanning alert: what was found, the code around it, where else it is, and what people did with it.
import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { useMe } from '../../app/me.ts';
import { timelineItemOf } from '../../lib/activity.tsx';
import { isWebAddress } from '../../lib/web-address.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { SafeHtml } from '../../lib/safe-html.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Card, KeyValues } from '../../ui/card.tsx';
import { ChangeError } from '../../ui/change-error.tsx';
import { TextLink } from '../../ui/link.tsx';
import { PageHead, Section } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Key, Tag } from '../../ui/status.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { Timeline, type TimelineItem } from '../../ui/timeline.tsx';
import { ListFoot } from '../../lib/list-foot.tsx';
import { useRenderedText } from '../files/files-queries.ts';
import { loginOf } from '../issues/issue.ts';
import { blobHref, commitHref, type RepositoryPlace } from '../place.ts';
import { shortSha, type Repository } from '../repository.ts';
import { analysesHref, locationText, severityOf, shortRef, type Alert, type AlertInstance } from './alert.ts';
import { AlertCode } from './alert-code.tsx';
import { AlertStateMark, SeverityBadge } from './alert-parts.tsx';
import { DismissDialog } from './dismiss-dialog.tsx';
import { SecurityFrame } from './security-frame.tsx';
import { useAlert, useAlertActivity, useInstances, useReopen } from './security-queries.ts';
import { ALERT, DISMISS, SECURITY } from './security-words.ts';
import '../../styles/lists.css';

export default function AlertPage() {
  const { number } = useParams<{ number: string }>();
  return (
    <SecurityFrame view="alerts" crumbs={[{ label: ALERT.number(Number(number)) }]}>
      {(repository, place) => (
        <AlertLoader key={number} place={place} repository={repository} number={Number(number)} />
      )}
    </SecurityFrame>
  );
}

interface AlertLoaderProps {
  place: RepositoryPlace;
  repository: Repository;
  number: number;
}

function AlertLoader({ place, repository, number }: AlertLoaderProps) {
  const { data: alert, error, refetch } = useAlert(place, number);
  if (alert === undefined)
    return error === null ? (
      <Skeleton lines={10} />
    ) : (
      <ReadProblem error={error} onRetry={() => void refetch()} />
    );
  return (
    <div className="stack stack--16">
      <AlertHead place={place} repository={repository} alert={alert} />
      <div className="cols cols--talk">
        <div className="stack stack--16">
          <AlertCode place={place} instance={alert.most_recent_instance} />
          <RuleHelp alert={alert} />
          <Instances place={place} number={number} />
          <History repository={repository} alert={alert} />
        </div>
        <AlertFacts alert={alert} />
      </div>
    </div>
  );
}

interface AlertHeadProps {
  place: RepositoryPlace;
  repository: Repository;
  alert: Alert;
}

function AlertHead({ place, repository, alert }: AlertHeadProps) {
  const { number, state, rule, tool } = alert;
  const [isDismissing, setDismissing] = useState(false);
  const reopen = useReopen(place, number);
  const reason = repository.archived ? ALERT.noChange : state === 'fixed' ? ALERT.isFixed : undefined;
  return (
    <>
      <PageHead
        title={
          <>
            {rule.description || rule.id} <span className="muted issue-number">{ALERT.number(number)}</span>
          </>
        }
        badge={<AlertStateMark state={state} isPill />}
        meta={
          <span>
            {alert.most_recent_instance.message.text} · {ALERT.found} <Time at={alert.created_at} />{' '}
            {ALERT.by} {tool.name}
          </span>
        }
        actions={
          state === 'dismissed' ? (
            <Button
              icon="redo"
              isBusy={reopen.isPending}
              disabledReason={repository.archived ? ALERT.noChange : undefined}
              onClick={() => reopen.mutate()}
            >
              {ALERT.reopen}
            </Button>
          ) : (
            <Button icon="minus" disabledReason={reason} onClick={() => setDismissing(true)}>
              {SECURITY.dismiss}
            </Button>
          )
        }
      />
      <ChangeError error={reopen.error} />
      {isDismissing && (
        <DismissDialog
          place={place}
          numbers={[number]}
          onDone={() => undefined}
          onClose={() => setDismissing(false)}
        />
      )}
    </>
  );
}

function AlertFacts({ alert }: { alert: Alert }) {
  const { rule, tool, dismissed_reason: reason } = alert;
  return (
    <aside className="stack stack--16">
      <Card>
        <KeyValues
          termWidth={84}
          items={[
            [ALERT.severity, <SeverityBadge key="severity" severity={severityOf(alert)} />],
            [
              ALERT.state,
              reason === null
                ? SECURITY.stateWords[alert.state]
                : ALERT.dismissedFor(DISMISS.reasons[reason][0]),
            ],
            [ALERT.rule, <Key key="rule">{rule.id}</Key>],
            [ALERT.tool, tool.version === null ? tool.name : `${tool.name} ${tool.version}`],
          ]}
        />
        {rule.tags.length > 0 && (
          <p className="row row--4 row--wrap alert-tags" aria-label={ALERT.tags}>
            {rule.tags.map((tag) => (
              <Tag key={tag}>{tag}</Tag>
            ))}
          </p>
        )}
      </Card>
    </aside>
  );
}

function RuleHelp({ alert: { rule } }: { alert: Alert }) {
  const text = (rule.help ?? '').trim() || rule.full_description.trim();
  const { data, error } = useRenderedText(text, text !== '');
  return (
    <Card
      title={ALERT.ruleHelp}
      actions={
        isWebAddress(rule.help_uri) ? (
          <TextLink href={rule.help_uri} isExternal>
            {ALERT.helpLink}
          </TextLink>
        ) : undefined
      }
    >
      {text === '' ? (
        <p className="muted t13">{ALERT.noHelp}</p>
      ) : error !== null ? (
        <p className="pre-line">{text}</p>
      ) : data === undefined ? (
        <Skeleton lines={3} />
      ) : (
        <SafeHtml html={data} />
      )}
    </Card>
  );
}

function Instances({ place, number }: { place: RepositoryPlace; number: number }) {
  const { rows, error, retry, hasMore, isReadingMore, readMore } = useInstances(place, number);
  if (error !== null) return <ReadProblem error={error} onRetry={retry} />;
  return (
    <Section title={ALERT.instances}>
      <Table
        label={ALERT.instances}
        columns={instanceColumns(place)}
        rows={rows ?? []}
        rowKey={({ ref, category, location: { path, start_line: line } }) =>
          JSON.stringify([ref, category, path, line])
        }
        isLoading={rows === undefined}
        footer={
          <ListFoot
            list={{ rows: rows ?? [], hasMore, isReadingMore, readMore }}
            nouns={ALERT.instanceNouns}
          />
        }
      />
    </Section>
  );
}

function instanceColumns(place: RepositoryPlace): TableColumn<AlertInstance>[] {
  const { instanceColumns: heads } = ALERT;
  return [
    {
      id: 'place',
      head: heads.place,
      isMain: true,
      cell: (instance) => {
        const { path, start_line: line } = instance.location;
        if (path === '') return <span className="muted">{ALERT.noFile}</span>;
        return (
          <Link className="ln mono t12" href={`${blobHref(place, instance.commit_sha, path)}#L${line}`}>
            {locationText(instance)}
          </Link>
        );
      },
    },
    { id: 'ref', head: heads.ref, cell: ({ ref }) => <code className="key">{shortRef(ref)}</code> },
    { id: 'state', head: heads.state, cell: ({ state }) => <AlertStateMark state={state} /> },
    {
      id: 'commit',
      head: heads.commit,
      priority: 'mid',
      cell: ({ commit_sha: sha }) => (
        <Link className="ln mono t12" href={commitHref(place, sha)}>
          {shortSha(sha)}
        </Link>
      ),
    },
  ];
}

/** What the tool reported, what people did, newest first. */
function History({ repository, alert }: { repository: Repository; alert: Alert }) {
  const { data: me } = useMe();
  const entries = useAlertActivity(repository.full_name, alert.number);
  const own = alert.dismissed_at === null || (entries?.length ?? 0) > 0 ? [] : [dismissalItem(alert)];
  const items: TimelineItem[] = [
    ...(alert.fixed_at === null
      ? []
      : [
          {
            id: 'fixed',
            icon: 'ok' as const,
            tone: 'ok' as const,
            content: ALERT.fixed,
            meta: (
              <>
                {ALERT.fixedText} <Time at={alert.fixed_at} />
              </>
            ),
          },
        ]),
    ...(entries?.map((entry) => timelineItemOf(entry, me?.member.id)) ?? []),
    ...own,
    {
      id: 'found',
      icon: 'shield',
      content: (
        <Link
          className="ln"
          href={analysesHref(
            { owner: repository.owner.login, repo: repository.name },
            { tool: alert.tool.name, ref: alert.most_recent_instance.ref },
          )}
        >
          {ALERT.reported(alert.tool.name)}
        </Link>
      ),
      meta: <Time at={alert.created_at} />,
    },
  ];
  return (
    <Card
      title={ALERT.history}
      actions={
        <ButtonLink
          size="sm"
          tone="ghost"
          href={`/account/audit?resource=${encodeURIComponent(`repo/${repository.full_name}`)}&action=updateCodeScanning`}
        >
          {ALERT.audit}
        </ButtonLink>
      }
    >
      <Timeline label={ALERT.history} items={items} />
    </Card>
  );
}

/** For those who may not read the audit log. */
function dismissalItem({ dismissed_by: by, dismissed_at: at, ...alert }: Alert): TimelineItem {
  const reason = alert.dismissed_reason;
  return {
    id: 'dismissed',
    by: { name: loginOf(by) },
    content: (
      <>
        <b>{loginOf(by)}</b> {reason !== null && ALERT.dismissedFor(DISMISS.reasons[reason][0])}
      </>
    ),
    comment: alert.dismissed_comment ?? undefined,
    meta: at !== null && <Time at={at} />,
  };
}
