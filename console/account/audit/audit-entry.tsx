// One change: the sentence, what it was about, why, the thing before and after, and what is related to it.
import type { ActivityDetail } from '../../api/types/signalbox.ts';
import { ActivityItem, actorOf, ACTIVITY_WORDS } from '../../lib/activity.tsx';
import { ChangeComment, ChangeDescription } from '../../lib/change-description.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { hrefOfResource } from '../../lib/resource-links.ts';
import { SidePanel } from '../../lib/side-panel.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { KeyValues } from '../../ui/card.tsx';
import { JsonDiff } from '../../ui/json-diff.tsx';
import { TextLink } from '../../ui/link.tsx';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { Key } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { PAGE, useAuditEntry } from './audit-queries.ts';
import { AUDIT } from './audit-words.ts';

const AROUND_MS = 10 * 60_000;
const WORDS = AUDIT.entry;

export function AuditEntry({ id, onClose }: { id: string; onClose: () => void }) {
  const { data: entry, error, refetch } = useAuditEntry(id);
  const actor = entry === undefined ? undefined : actorOf(entry);
  return (
    <SidePanel
      mark={actor && <Avatar name={actor.name} kind={actor.kind} isDecorative />}
      title={entry === undefined ? AUDIT.title : <ActivityItem entry={entry} />}
      text={entry && <Time at={entry.at} mode="absolute" />}
      onClose={onClose}
    >
      {entry !== undefined ? (
        <Entry entry={entry} />
      ) : error === null ? (
        <section>
          <Skeleton lines={6} />
        </section>
      ) : error.status === 404 ? (
        <EmptyState icon="history" title={WORDS.gone} isPlain />
      ) : (
        <ReadProblem error={error} onRetry={() => void refetch()} isPlain />
      )}
    </SidePanel>
  );
}

function Entry({ entry }: { entry: ActivityDetail }) {
  const { id, description, comment, before, after } = entry;
  return (
    <>
      <section>
        <KeyValues termWidth={80} items={factsOf(entry)} />
      </section>
      {comment !== undefined && comment !== '' && (
        <section>
          <h3>{WORDS.comment}</h3>
          <ChangeComment text={comment} />
        </section>
      )}
      {description !== undefined && description !== '' && (
        <section>
          <h3>{WORDS.changed}</h3>
          <ChangeDescription text={description} />
        </section>
      )}
      <section>
        <h3>{WORDS.difference}</h3>
        {before === undefined && after === undefined ? (
          <p className="t13 muted">{WORDS.noVersions}</p>
        ) : (
          <JsonDiff before={before} after={after} label={WORDS.difference} />
        )}
      </section>
      <section>
        <h3>{WORDS.see}</h3>
        <ul className="stack stack--4 t13">
          {relatedTo(entry).map(([label, query]) => (
            <li key={label}>
              <TextLink href={`${PAGE}?${new URLSearchParams({ ...query, entry: id }).toString()}`}>
                {label}
              </TextLink>
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}

function factsOf(entry: ActivityDetail): [string, React.ReactNode][] {
  const { id, action, resource, name, member, token } = entry;
  const href = hrefOfResource(resource, name);
  const isService = token?.isService === true;
  return [
    [WORDS.who, member === undefined ? ACTIVITY_WORDS.server : `${member.name ?? ''} ${member.email}`.trim()],
    [
      WORDS.with,
      token === undefined ? (
        member === undefined ? (
          AUDIT.server
        ) : (
          AUDIT.session
        )
      ) : (
        <>
          {isService ? AUDIT.service : AUDIT.token} {token.name} <code className="key">…{token.ending}</code>
        </>
      ),
    ],
    [WORDS.action, <Key key="action">{action}</Key>],
    [
      WORDS.resource,
      <span key="resource" className="audit__key">
        {href === undefined ? (
          <code className="key">{resource}</code>
        ) : (
          <TextLink href={href} isMono>
            {resource}
          </TextLink>
        )}
      </span>,
    ],
    [
      WORDS.id,
      <Key key="id" copyLabel={WORDS.copyId}>
        {id}
      </Key>,
    ],
  ];
}

/** The filter of the API takes a resource without tags. */
function relatedTo({ at, resource, token, member }: ActivityDetail): [string, Record<string, string>][] {
  const plain = resource
    .split(':')
    .map((part) => part.split(';', 1)[0])
    .join(':');
  return [
    [WORDS.around, { after: String(at - AROUND_MS), before: String(at + AROUND_MS) }],
    [WORDS.onResource, { resource: plain }],
    ...(token === undefined
      ? []
      : [[WORDS.byToken, { token: token.id }] as [string, Record<string, string>]]),
    ...(member === undefined
      ? []
      : [[WORDS.byMember, { member: member.id }] as [string, Record<string, string>]]),
  ];
}
