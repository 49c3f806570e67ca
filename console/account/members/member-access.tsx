// Lets a member in again by a link, ends links, and removes the member.
import { useState } from 'react';
import { send } from '../../api/client.ts';
import type { ApiError } from '../../api/error.ts';
import { invalidateTopics, useChange } from '../../api/read.ts';
import type { AccountMember, LoginLink } from '../../api/types/signalbox.ts';
import { useMay, useMe } from '../../app/me.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { TextLink } from '../../ui/link.tsx';
import { Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast-store.ts';
import { LinksDialog } from './members-links.tsx';
import { isAbove, loginLinkCall, nameOf, removeFactorCall, removeMemberCall } from './members-queries.ts';
import { LINKS, MEMBER } from './members-words.ts';

interface MemberAccessProps {
  member: AccountMember;
  isSelf: boolean;
  onRemoved: () => void;
}

export function MemberAccess({ member, isSelf, onRemoved }: MemberAccessProps) {
  const resource = `member/${member.id}`;
  const may = useMay([
    { action: 'createLoginLink', resource },
    { action: 'deleteLoginLink', resource },
    { action: 'deleteMember', resource },
    { action: 'deleteSecondFactor', resource },
  ]);
  const [mayLink = false, mayEnd = false, mayRemove = false, mayFactor = false] = may ?? [];
  if (isSelf)
    return (
      <section>
        <h3>{MEMBER.access}</h3>
        <p className="t13 muted">
          {MEMBER.settings} <TextLink href="/account/settings">{MEMBER.toSettings}</TextLink>
        </p>
      </section>
    );
  if (!mayLink && !mayEnd && !mayRemove && !mayFactor) return null;
  return (
    <section>
      <h3>{MEMBER.access}</h3>
      <div className="row row--wrap">
        {mayLink && <NewLink member={member} />}
        {mayEnd && member.invitation?.isExpired === false && <EndLink member={member} />}
        {mayFactor && member.hasSecondFactor && <FactorRemoval member={member} />}
        {mayRemove && <Removal member={member} onRemoved={onRemoved} />}
      </div>
    </section>
  );
}

/** Why the reader may not, beyond the permission: the member is stronger than they are. */
function useStronger(member: AccountMember): string | undefined {
  const { data: me } = useMe();
  return me !== undefined && isAbove(member.role, me.member.role) ? MEMBER.above : undefined;
}

/** The link is state of this component alone: no cache has it. */
function NewLink({ member }: { member: AccountMember }) {
  const [link, setLink] = useState<LoginLink>();
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const stronger = useStronger(member);
  const create = async () => {
    setBusy(true);
    setError(undefined);
    try {
      const { body } = await send<LoginLink>(loginLinkCall(member.id, 'POST'));
      setLink(body);
    } catch (failure) {
      setError(failure as ApiError);
    }
    setBusy(false);
  };
  const close = () => {
    setLink(undefined);
    invalidateTopics(['member']);
  };
  return (
    <>
      <Button icon="link" isBusy={isBusy} disabledReason={stronger} onClick={() => void create()}>
        {member.state === 'invited' ? MEMBER.newLink : MEMBER.reset}
      </Button>
      {error !== undefined && (
        <Banner tone="bad" onDismiss={() => setError(undefined)}>
          {error.message}
        </Banner>
      )}
      {link !== undefined && (
        <LinksDialog
          links={[
            {
              email: member.email,
              url: link.url,
              note: (
                <>
                  {LINKS.works} <Time at={link.expiresAt} mode="absolute" />
                </>
              ),
            },
          ]}
          onClose={close}
        >
          <p className="t13">
            {LINKS[link.purpose]} {LINKS.ended}
          </p>
        </LinksDialog>
      )}
    </>
  );
}

function EndLink({ member }: { member: AccountMember }) {
  const end = useChange<void>(() => loginLinkCall(member.id, 'DELETE'), ['member']);
  const stronger = useStronger(member);
  return (
    <>
      <Button
        tone="ghost"
        isBusy={end.isPending}
        disabledReason={stronger}
        onClick={() =>
          end.mutate(undefined, {
            onSuccess: () => toast({ text: MEMBER.linkEnded(nameOf(member)), tone: 'ok' }),
          })
        }
      >
        {MEMBER.endLink}
      </Button>
      {end.error !== null && <Banner tone="bad">{end.error.message}</Banner>}
    </>
  );
}

function FactorRemoval({ member }: { member: AccountMember }) {
  const [isAsking, setAsking] = useState(false);
  const remove = useChange<void>(() => removeFactorCall(member.id), ['member']);
  const stronger = useStronger(member);
  const words = MEMBER.factor;
  const confirm = () =>
    remove.mutate(undefined, {
      onSuccess: () => {
        setAsking(false);
        toast({ text: words.removed(nameOf(member)), tone: 'ok' });
      },
    });
  return (
    <>
      <Button icon="shield" disabledReason={stronger} onClick={() => setAsking(true)}>
        {words.remove}
      </Button>
      {isAsking && (
        <ConfirmDialog
          tone="danger"
          title={words.title(nameOf(member))}
          confirmLabel={words.remove}
          isBusy={remove.isPending}
          error={remove.error ?? undefined}
          onConfirm={confirm}
          onClose={() => setAsking(false)}
        >
          <p>{words.text}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

/** Who was never here has nothing to lose: their username need not be typed. */
function Removal({ member, onRemoved }: { member: AccountMember; onRemoved: () => void }) {
  const [isAsking, setAsking] = useState(false);
  const remove = useChange<void>(() => removeMemberCall(member.id), ['member', 'team']);
  const stronger = useStronger(member);
  const name = nameOf(member);
  const isInvited = member.state === 'invited';
  const words = MEMBER.removing;
  const confirm = () =>
    remove.mutate(undefined, {
      onSuccess: () => {
        toast({ text: isInvited ? MEMBER.withdrawn(name) : MEMBER.removed(name), tone: 'ok' });
        onRemoved();
      },
    });
  return (
    <>
      <Button
        tone="danger"
        icon="trash"
        disabledReason={member.role === 'owner' ? MEMBER.ownerStays : stronger}
        onClick={() => {
          remove.reset();
          setAsking(true);
        }}
      >
        {isInvited ? MEMBER.withdraw : MEMBER.remove}
      </Button>
      {isAsking && (
        <ConfirmDialog
          tone="danger"
          title={isInvited ? words.withdrawTitle(name) : words.title(name)}
          confirmLabel={isInvited ? words.withdrawButton : words.button(name)}
          typeToConfirm={isInvited ? undefined : member.username}
          isBusy={remove.isPending}
          error={remove.error ?? undefined}
          onConfirm={confirm}
          onClose={() => setAsking(false)}
        >
          {isInvited ? <p>{words.withdrawText}</p> : <Consequences />}
        </ConfirmDialog>
      )}
    </>
  );
}

function Consequences() {
  const { at, ends, stays, kept, handOver } = MEMBER.removing;
  return (
    <>
      {[
        { head: at, items: ends },
        { head: stays, items: kept },
      ].map(({ head, items }) => (
        <div key={head}>
          <p className="w5">{head}</p>
          <ul className="stack stack--4 members__list">
            {items.map((item) => (
              <li key={item}>{item}</li>
            ))}
          </ul>
        </div>
      ))}
      <Banner tone="warn">{handOver}</Banner>
    </>
  );
}
