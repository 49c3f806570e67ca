// The members of a team: who is in it, taking somebody in, and out.
import { useState } from 'react';
import { useChange, useRead } from '../../api/read.ts';
import { useSettled } from '../../lib/settled.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Button } from '../../ui/button.tsx';
import { ChangeError } from '../../ui/change-error.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { formatCount } from '../../ui/format.ts';
import { TextInput } from '../../ui/input.tsx';
import { TextLink } from '../../ui/link.tsx';
import { toast } from '../../ui/toast-store.ts';
import type { AccountMember } from '../../api/types/signalbox.ts';
import { nameOf } from '../members/members-queries.ts';
import { patchTeamCall, teamMemberName, type Team, type TeamMember } from './teams-queries.ts';
import { TEAM } from './teams-words.ts';

const AT_ONCE = 50;

export function TeamMembers({ team, mayChange }: { team: Team; mayChange: boolean }) {
  const [shown, setShown] = useState(AT_ONCE);
  const [leaving, setLeaving] = useState<TeamMember>();
  const { items = [], totalCount = 0 } = team.members ?? {};
  const hidden = totalCount - items.length;
  return (
    <section>
      <h3>
        {TEAM.members} <span className="faint">{formatCount(totalCount)}</span>
      </h3>
      <div className="stack">
        {totalCount === 0 && <p className="t13 muted">{TEAM.noMembers}</p>}
        <ul className="teams__members" aria-label={TEAM.members}>
          {items.slice(0, shown).map((member) => {
            const name = teamMemberName(member);
            return (
              <li key={member._id}>
                <Avatar name={name} isDecorative />
                <span className="grow cut t13">
                  <TextLink href={`/account/members?member=${encodeURIComponent(member._id)}`}>
                    {name}
                  </TextLink>
                </span>
                {mayChange && (
                  <Button
                    tone="ghost"
                    size="sm"
                    icon="x"
                    label={TEAM.remove(name)}
                    onClick={() => setLeaving(member)}
                  />
                )}
              </li>
            );
          })}
        </ul>
        {items.length > shown && (
          <div>
            <Button size="sm" onClick={() => setShown(shown + AT_ONCE)}>
              {TEAM.moreMembers}
            </Button>
          </div>
        )}
        {hidden > 0 && <p className="t12 muted">{TEAM.hiddenMembers(formatCount(hidden))}</p>}
        {mayChange && <AddMember team={team} />}
      </div>
      {leaving !== undefined && (
        <RemoveDialog team={team} member={leaving} onClose={() => setLeaving(undefined)} />
      )}
    </section>
  );
}

function AddMember({ team }: { team: Team }) {
  const [typed, setTyped] = useState('');
  const q = useSettled(typed.trim(), 200);
  const { data } = useRead<{ items: AccountMember[] }>(
    { call: { api: 'signalbox', path: '/members', query: { q, limit: 10 } }, topics: ['member'] },
    { isEnabled: q !== '', keepsPrevious: true },
  );
  const add = useChange<AccountMember>(
    ({ id }) => patchTeamCall(team.key, [{ kind: 'addMembers', values: [id] }]),
    ['team', 'member'],
  );
  const there = new Set(team.members?.items.map(({ _id }) => _id));
  const found = q === '' ? [] : (data?.items ?? []).filter(({ id }) => !there.has(id));
  return (
    <div className="stack stack--8">
      <ChangeError error={add.error} />
      <Field label={TEAM.find}>
        <TextInput placeholder={TEAM.findHint} autoComplete="off" value={typed} onValue={setTyped} />
      </Field>
      {q !== '' && data !== undefined && found.length === 0 && (
        <p className="t13 muted" role="status">
          {TEAM.nobody}
        </p>
      )}
      <ul className="teams__members" aria-label={TEAM.find}>
        {found.map((member) => (
          <li key={member.id}>
            <span className="two grow t13">
              <b className="cut">{nameOf(member)}</b>
              <small className="cut">{member.email}</small>
            </span>
            <Button
              size="sm"
              isBusy={add.isPending}
              aria-label={TEAM.add(nameOf(member))}
              onClick={() =>
                add.mutate(member, {
                  onSuccess: () => {
                    setTyped('');
                    toast({ text: TEAM.added(nameOf(member), team.name), tone: 'ok' });
                  },
                })
              }
            >
              {TEAM.addButton}
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}

interface RemoveDialogProps {
  team: Team;
  member: TeamMember;
  onClose: () => void;
}

function RemoveDialog({ team, member, onClose }: RemoveDialogProps) {
  const name = teamMemberName(member);
  const remove = useChange<void>(
    () => patchTeamCall(team.key, [{ kind: 'removeMembers', values: [member._id] }]),
    ['team', 'member'],
  );
  return (
    <ConfirmDialog
      title={TEAM.removing.title(name, team.name)}
      confirmLabel={TEAM.removing.button}
      isBusy={remove.isPending}
      error={remove.error ?? undefined}
      onConfirm={() =>
        remove.mutate(undefined, {
          onSuccess: () => {
            toast({ text: TEAM.removed(name, team.name), tone: 'ok' });
            onClose();
          },
        })
      }
      onClose={onClose}
    >
      <p>{TEAM.removing.text}</p>
    </ConfirmDialog>
  );
}
