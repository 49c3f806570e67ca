// One member: what is known of them, what they can do in sentences, and what can be done about it.
import type { AccountMember } from '../../api/types/signalbox.ts';
import { useMe } from '../../app/me.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { SidePanel } from '../../lib/side-panel.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { Banner } from '../../ui/banner.tsx';
import { KeyValues } from '../../ui/card.tsx';
import { Icon } from '../../ui/icon.tsx';
import { TextLink } from '../../ui/link.tsx';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { Key, Tag } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { MemberAccess } from './member-access.tsx';
import { MemberRoleForm } from './member-role.tsx';
import { MemberState } from './member-state.tsx';
import { nameOf, useAbilities, useMember, type Ability } from './members-queries.ts';
import { MEMBER, MEMBERS, ROLE_NAMES } from './members-words.ts';

interface MemberPanelProps {
  id: string;
  rows: readonly AccountMember[];
  onClose: () => void;
}

export function MemberPanel({ id, rows, onClose }: MemberPanelProps) {
  const { member, isGone, error, refetch } = useMember(id, rows);
  return (
    <SidePanel
      mark={member && <Avatar name={nameOf(member)} isDecorative />}
      title={member === undefined ? MEMBERS.columns.name : nameOf(member)}
      text={member && <MemberState member={member} />}
      onClose={onClose}
    >
      {member !== undefined ? (
        <Member member={member} onRemoved={onClose} />
      ) : isGone || error?.status === 404 ? (
        <EmptyState icon="user" title={MEMBER.gone} isPlain />
      ) : error === null ? (
        <section>
          <Skeleton lines={6} />
        </section>
      ) : (
        <ReadProblem error={error} onRetry={() => void refetch()} isPlain />
      )}
    </SidePanel>
  );
}

function Member({ member, onRemoved }: { member: AccountMember; onRemoved: () => void }) {
  const { data: me } = useMe();
  const isSelf = me?.member.id === member.id;
  return (
    <>
      <section>
        <KeyValues items={factsOf(member)} />
        <p className="t13 members__log">
          <TextLink href={`/account/audit?member=${encodeURIComponent(member.id)}`}>
            {MEMBER.activity}
          </TextLink>
        </p>
      </section>
      <Abilities id={member.id} />
      {/* Another version of the member begins the form anew. */}
      <MemberRoleForm
        key={`${member.role} ${member.customRoles.map(({ key }) => key).join()}`}
        member={member}
        isSelf={isSelf}
        ownRole={me?.member.role ?? 'no_access'}
      />
      <MemberAccess member={member} isSelf={isSelf} onRemoved={onRemoved} />
    </>
  );
}

function factsOf(member: AccountMember): [string, React.ReactNode][] {
  const { username, email, role, customRoles, teams, state, hasPassword, createdAt, lastSeenAt, invitation } =
    member;
  const words = MEMBER.facts;
  return [
    [words.username, <Key key="username">{username}</Key>],
    [words.email, email],
    [words.role, ROLE_NAMES[role] ?? role],
    ...(customRoles.length > 0 ? [named(words.customRoles, customRoles)] : []),
    ...(teams.length > 0 ? [named(words.teams, teams)] : []),
    [words.since, <Time key="since" at={createdAt} />],
    [words.seen, lastSeenAt === undefined ? MEMBERS.never : <Time key="seen" at={lastSeenAt} />],
    state === 'invited'
      ? [words.invitation, <InvitationState key="invitation" invitation={invitation} />]
      : [words.password, hasPassword ? MEMBER.has : MEMBER.hasNot],
  ];
}

function named(term: string, things: readonly { key: string; name: string }[]): [string, React.ReactNode] {
  return [
    term,
    <span key={term} className="row row--4 row--wrap">
      {things.map(({ key, name }) => (
        <Tag key={key}>{name}</Tag>
      ))}
    </span>,
  ];
}

function InvitationState({ invitation }: { invitation: AccountMember['invitation'] | undefined }) {
  if (invitation === undefined) return MEMBER.none;
  if (invitation.isExpired) return MEMBER.expired;
  return (
    <>
      {MEMBER.open} <Time at={invitation.expiresAt} mode="absolute" />
    </>
  );
}

function Abilities({ id }: { id: string }) {
  const { data, error, refetch } = useAbilities(id);
  return (
    <section>
      <h3>{MEMBER.abilities}</h3>
      {data !== undefined ? (
        <>
          <ul className="members__can t13">
            {data.sentences.map((ability, index) => (
              // Two roles may say the same.
              <AbilitySentence key={index} ability={ability} />
            ))}
          </ul>
          {!data.isComplete && <Banner tone="neutral">{MEMBER.incomplete}</Banner>}
          <p className="t13 members__log">
            <TextLink href={`/account/tester?member=${encodeURIComponent(id)}`}>{MEMBER.test}</TextLink>
          </p>
        </>
      ) : error === null ? (
        <Skeleton lines={3} />
      ) : (
        <ReadProblem error={error} onRetry={() => void refetch()} isPlain />
      )}
    </section>
  );
}

function AbilitySentence({ ability: { text, because } }: { ability: Ability }) {
  const isDenied = text.startsWith('may not') || text.startsWith('may do nothing');
  const reason = (['role', 'policy', 'team'] as const).flatMap((kind) => {
    const name = because[kind];
    if (name === undefined) return [];
    return [`${MEMBER.because[kind]} ${kind === 'role' ? (ROLE_NAMES[name] ?? name) : name}`];
  });
  return (
    <li>
      <Icon name={isDenied ? 'minus' : 'check'} size={14} className={isDenied ? 'muted' : 'ok'} />
      <span>
        {text.slice(0, 1).toUpperCase() + text.slice(1)}{' '}
        <span className="faint t12">{reason.join(', ')}</span>
      </span>
    </li>
  );
}
