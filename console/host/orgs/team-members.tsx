// The members of a team, with their roles in it.
import { useState } from 'react';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ChangeError } from '../../ui/change-error.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Badge } from '../../ui/status.tsx';
import { AddMemberDialog } from './add-member-dialog.tsx';
import {
  teamMembershipCall,
  useChangeTeam,
  useLeaveTeam,
  useMaintainers,
  useTeamMembers,
} from './orgs-queries.ts';
import { ORG_MEMBERS, TEAM } from './orgs-words.ts';

export interface TeamMembersProps {
  org: string;
  team: string;
  mayMaintain: boolean;
  /** The login of who looks at it. */
  own: string | undefined;
}

export function TeamMembers({ org, team, mayMaintain, own }: TeamMembersProps) {
  const { rows, error, retry, hasMore, isReadingMore, readMore } = useTeamMembers(org, team);
  const maintainers = useMaintainers(org, team);
  const [isAdding, setAdding] = useState(false);
  return (
    <Card
      title={TEAM.members}
      actions={
        mayMaintain ? (
          <Button size="sm" icon="plus" onClick={() => setAdding(true)}>
            {TEAM.addMember}
          </Button>
        ) : undefined
      }
    >
      {error !== null ? (
        <ReadProblem error={error} onRetry={retry} isPlain />
      ) : rows === undefined ? (
        <Skeleton lines={3} />
      ) : rows.length === 0 ? (
        <p className="muted t13">{TEAM.noMembers}</p>
      ) : (
        <ul className="teams__members">
          {rows.map(({ login }) => (
            <li key={login}>
              <Avatar name={login} isDecorative />
              <b className="cut">{login}</b>
              {login === own && <Badge>{ORG_MEMBERS.you}</Badge>}
              {maintainers?.has(login) === true && <Badge tone="acc">{TEAM.roles.maintainer}</Badge>}
              <span className="push" />
              {(mayMaintain || login === own) && (
                <TeamMemberMenu
                  org={org}
                  team={team}
                  login={login}
                  mayChange={mayMaintain}
                  isMaintainer={maintainers?.has(login) === true}
                />
              )}
            </li>
          ))}
        </ul>
      )}
      {hasMore && (
        <Button size="sm" isBusy={isReadingMore} onClick={readMore}>
          {TEAM.moreMembers}
        </Button>
      )}
      {isAdding && (
        <AddMemberDialog
          text={TEAM.addMemberText}
          roles={[
            { value: 'maintainer', label: TEAM.maintainer, text: TEAM.maintainerText },
            { value: 'member', label: ORG_MEMBERS.member, text: TEAM.memberText },
          ]}
          callOf={(login, role) => teamMembershipCall(org, team, login, role)}
          onClose={() => setAdding(false)}
        />
      )}
    </Card>
  );
}

interface TeamMemberMenuProps {
  org: string;
  team: string;
  login: string;
  mayChange: boolean;
  isMaintainer: boolean;
}

function TeamMemberMenu({ org, team, login, mayChange, isMaintainer }: TeamMemberMenuProps) {
  const save = useChangeTeam();
  const remove = useLeaveTeam(org, team, login);
  return (
    <>
      <ChangeError error={save.error ?? remove.error} />
      <Menu
        trigger={<Button tone="ghost" size="sm" icon="dots" label={ORG_MEMBERS.more(login)} />}
        items={[
          ...(mayChange
            ? [
                {
                  label: isMaintainer ? TEAM.makeMember : TEAM.makeMaintainer,
                  icon: 'shield' as const,
                  onSelect: () =>
                    save.mutate(teamMembershipCall(org, team, login, isMaintainer ? 'member' : 'maintainer')),
                },
              ]
            : []),
          {
            label: TEAM.removeMember,
            icon: 'trash',
            tone: 'danger',
            hasLine: mayChange,
            onSelect: () => remove.mutate(),
          },
        ]}
      />
    </>
  );
}
