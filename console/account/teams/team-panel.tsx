// One team beside the list: its members, its roles, and what can be done about it.
import { useState } from 'react';
import { path } from '../../api/call.ts';
import { useChange } from '../../api/read.ts';
import { useMay } from '../../app/me.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { SidePanel } from '../../lib/side-panel.tsx';
import { Button } from '../../ui/button.tsx';
import { KeyValues } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { TextLink } from '../../ui/link.tsx';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { Key } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast-store.ts';
import { TeamForm, type TeamRights } from './team-form.tsx';
import { TeamMembers } from './team-members.tsx';
import { useTeam, type Team } from './teams-queries.ts';
import { TEAM } from './teams-words.ts';

export function TeamPanel({ teamKey, onClose }: { teamKey: string; onClose: () => void }) {
  const { data: team, error, refetch } = useTeam(teamKey);
  const isGone = error?.status === 404;
  return (
    <SidePanel title={team?.name ?? teamKey} text={team?.description} onClose={onClose}>
      {team !== undefined && !isGone ? (
        <TeamParts team={team} onClose={onClose} />
      ) : isGone ? (
        <EmptyState icon="users" title={TEAM.gone} isPlain />
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

const ACTIONS = [
  'updateTeamName',
  'updateTeamDescription',
  'updateTeamCustomRoles',
  'updateTeamMembers',
  'deleteTeam',
];

function useRights(key: string): TeamRights {
  const may = useMay(ACTIONS.map((action) => ({ action, resource: `team/${key}` })));
  const [mayName = false, mayDescribe = false, mayRoles = false, mayMembers = false, mayDelete = false] =
    may ?? [];
  return { mayName, mayDescribe, mayRoles, mayMembers, mayDelete };
}

function TeamParts({ team, onClose }: { team: Team; onClose: () => void }) {
  const rights = useRights(team.key);
  const mayForm = rights.mayName || rights.mayDescribe || rights.mayRoles;
  return (
    <>
      <section>
        <KeyValues items={factsOf(team)} />
      </section>
      <TeamMembers team={team} mayChange={rights.mayMembers} />
      {/* Another version of the team begins the form anew. */}
      {mayForm && (
        <TeamForm
          key={JSON.stringify([team.name, team.description, team.roles?.items, team.roleAttributes])}
          team={team}
          rights={rights}
        />
      )}
      {rights.mayDelete && <Deletion team={team} onDeleted={onClose} />}
    </>
  );
}

function factsOf(team: Team): [string, React.ReactNode][] {
  const roles = team.roles?.items ?? [];
  const attributes = Object.entries(team.roleAttributes ?? {});
  return [
    [TEAM.key, <Key key="key">{team.key}</Key>],
    [
      TEAM.roles,
      roles.length === 0 ? (
        TEAM.noRoles
      ) : (
        <span key="roles" className="row row--wrap">
          {roles.map(({ key, name }) => (
            <TextLink key={key} href={`/account/roles/${encodeURIComponent(key)}`}>
              {name}
            </TextLink>
          ))}
        </span>
      ),
    ],
    ...attributes.map(([key, values]): [string, React.ReactNode] => [
      key,
      <code key={key}>{values.join(', ')}</code>,
    ]),
    [TEAM.created, <Time key="created" at={team._creationDate} />],
    [TEAM.changed, <Time key="changed" at={team._lastModified} />],
  ];
}

function Deletion({ team, onDeleted }: { team: Team; onDeleted: () => void }) {
  const [isAsking, setAsking] = useState(false);
  const remove = useChange<void>(
    () => ({ api: 'flags', method: 'DELETE', path: path`/teams/${team.key}` }),
    ['team', 'member', 'role'],
  );
  return (
    <section>
      <Button tone="danger" icon="trash" onClick={() => setAsking(true)}>
        {TEAM.delete}
      </Button>
      {isAsking && (
        <ConfirmDialog
          tone="danger"
          title={TEAM.deleting.title(team.name)}
          confirmLabel={TEAM.deleting.button}
          typeToConfirm={team.key}
          isBusy={remove.isPending}
          error={remove.error ?? undefined}
          onConfirm={() =>
            remove.mutate(undefined, {
              onSuccess: () => {
                toast({ text: TEAM.deleted(team.name), tone: 'ok' });
                onDeleted();
              },
            })
          }
          onClose={() => setAsking(false)}
        >
          <p>{TEAM.deleting.text(team.members?.totalCount ?? 0)}</p>
        </ConfirmDialog>
      )}
    </section>
  );
}
