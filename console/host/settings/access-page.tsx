// Who has access to a repository: people and teams, each with a role.
import { useMemo, useState } from 'react';
import { useParams } from 'wouter';
import { useMe } from '../../app/me.ts';
import { ListFoot } from '../../lib/list-foot.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { useSearchState } from '../../lib/search-state.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Button } from '../../ui/button.tsx';
import { useKeys } from '../../ui/keys.ts';
import { Section } from '../../ui/page.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Badge } from '../../ui/status.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { settingsHref, type RepositoryPlace } from '../place.ts';
import { isOfOrganization, type Repository } from '../repository.ts';
import { AddPersonDialog, AddTeamDialog, RemoveAccessDialog } from './access-dialogs.tsx';
import {
  putPersonCall,
  putTeamCall,
  roleLabel,
  roleOfTeam,
  useCollaborators,
  useRepositoryTeams,
  useRoles,
  type Collaborator,
  type RepositoryTeam,
  type RoleOption,
} from './access-queries.ts';
import { ACCESS } from './access-words.ts';
import { RoleSelect } from './role-select.tsx';
import { SettingsFrame } from './settings-frame.tsx';

export default function AccessPage() {
  const { owner, repo } = useParams<{ owner: string; repo: string }>();
  const place = useMemo(() => ({ owner, repo }), [owner, repo]);
  const [isAdding, setAdding] = useState(false);
  // A key that comes before the repository is known is not lost: the dialog opens with it.
  useKeys({ c: () => setAdding(true) });
  return (
    <SettingsFrame place={place} part="access">
      {(repository) => (
        <Access place={place} repository={repository} isAdding={isAdding} onAdding={setAdding} />
      )}
    </SettingsFrame>
  );
}

interface AccessProps {
  place: RepositoryPlace;
  repository: Repository;
  /** A person. */
  isAdding: boolean;
  onAdding: (isAdding: boolean) => void;
}

function Access({ place, repository, isAdding, onAdding }: AccessProps) {
  const roles = useRoles(repository);
  return (
    <div className="stack stack--24">
      <People place={place} repository={repository} roles={roles} isAdding={isAdding} onAdding={onAdding} />
      {isOfOrganization(repository) ? (
        <Teams place={place} roles={roles} organization={repository.owner.login} />
      ) : (
        <Section title={ACCESS.teams}>
          <p className="t13 muted">{ACCESS.noOrganization}</p>
        </Section>
      )}
    </div>
  );
}

function People(props: AccessProps & { roles: readonly RoleOption[] }) {
  const { place, repository, roles, isAdding, onAdding } = props;
  const search = useSearchState(settingsHref(place, 'access'));
  // Of a person's repository, nobody has a role but by being added.
  const isOrganization = isOfOrganization(repository);
  const who = isOrganization && search.get('who') === 'all' ? 'all' : 'direct';
  const list = useCollaborators(place, who);
  const rows = list.rows ?? [];
  const { data: me } = useMe();
  const [leaving, setLeaving] = useState<Collaborator>();
  const owner = repository.owner.login;
  const rolesText = JSON.stringify(roles);
  const columns = useMemo(
    () => peopleColumns({ place, owner, login: me?.username, roles, isFixed: who === 'all' }, setLeaving),
    // The roles are made anew for each drawing.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
    [place, owner, me?.username, rolesText, who],
  );
  const add = (
    <Button tone="primary" icon="plus" keys="c" onClick={() => onAdding(true)}>
      {ACCESS.add}
    </Button>
  );
  return (
    <Section title={ACCESS.people} actions={add}>
      <div className="stack">
        <p className="t13 muted">
          {who === 'all' ? ACCESS.everybodyText : ACCESS.peopleText}{' '}
          {!repository.private && ACCESS.publicText}
        </p>
        {isOrganization && (
          <div>
            <Segmented
              label={ACCESS.which}
              size="sm"
              value={who}
              options={[
                { value: 'direct', label: ACCESS.direct },
                { value: 'all', label: ACCESS.all },
              ]}
              onChange={(next) => search.set({ who: next === 'all' ? 'all' : undefined })}
            />
          </div>
        )}
        {list.error !== null ? (
          <ReadProblem error={list.error} onRetry={list.retry} />
        ) : (
          <Table
            label={ACCESS.people}
            columns={columns}
            rows={rows}
            rowKey={({ login }) => login}
            isLoading={list.rows === undefined}
            emptyState={<EmptyState icon="users" title={ACCESS.empty.title} text={ACCESS.empty.text} />}
            footer={<ListFoot list={{ ...list, rows }} nouns={ACCESS.nouns} />}
          />
        )}
      </div>
      {isAdding && (
        <AddPersonDialog
          place={place}
          roles={roles}
          there={rows.map(({ login }) => login)}
          onClose={() => onAdding(false)}
        />
      )}
      {leaving !== undefined && (
        <RemoveAccessDialog
          place={place}
          of={{ login: leaving.login }}
          isSelf={leaving.login === me?.username}
          onClose={() => setLeaving(undefined)}
        />
      )}
    </Section>
  );
}

interface PeopleView {
  place: RepositoryPlace;
  owner: string;
  login: string | undefined;
  roles: readonly RoleOption[];
  /** What comes from elsewhere cannot be changed here. */
  isFixed: boolean;
}

function peopleColumns(
  { place, owner, login: own, roles, isFixed }: PeopleView,
  onRemove: (person: Collaborator) => void,
): TableColumn<Collaborator>[] {
  const isHere = ({ login }: Collaborator) => !isFixed && login !== owner;
  return [
    {
      id: 'person',
      head: ACCESS.person,
      isMain: true,
      cell: ({ login }) => (
        <span className="row">
          <Avatar name={login} isDecorative />
          <b className="cut">{login}</b>
          {login === owner && <Badge>{ACCESS.owner}</Badge>}
          {login === own && <Badge>{ACCESS.you}</Badge>}
        </span>
      ),
    },
    {
      id: 'role',
      head: ACCESS.role,
      cell: (person) =>
        isHere(person) ? (
          <RoleSelect
            name={person.login}
            role={person.role_name}
            roles={roles}
            toCall={(role) => putPersonCall(place, person.login, role)}
          />
        ) : (
          roleLabel(person.role_name)
        ),
    },
    {
      id: 'actions',
      head: ACCESS.actions,
      isEnd: true,
      cardLabel: null,
      cell: (person) =>
        isHere(person) && (
          <Button
            tone="ghost"
            size="sm"
            icon="x"
            label={ACCESS.remove(person.login)}
            onClick={() => onRemove(person)}
          />
        ),
    },
  ];
}

interface TeamsProps {
  place: RepositoryPlace;
  organization: string;
  roles: readonly RoleOption[];
}

function Teams({ place, organization, roles }: TeamsProps) {
  const list = useRepositoryTeams(place);
  const rows = list.rows ?? [];
  const [isAdding, setAdding] = useState(false);
  const [leaving, setLeaving] = useState<RepositoryTeam>();
  const rolesText = JSON.stringify(roles);
  const columns = useMemo(
    () => teamColumns(place, roles, setLeaving),
    // The roles are made anew for each drawing.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
    [place, rolesText],
  );
  return (
    <Section
      title={ACCESS.teams}
      actions={
        <Button icon="plus" onClick={() => setAdding(true)}>
          {ACCESS.addTeam}
        </Button>
      }
    >
      <div className="stack">
        <p className="t13 muted">{ACCESS.teamsText}</p>
        {list.error !== null ? (
          <ReadProblem error={list.error} onRetry={list.retry} />
        ) : (
          <Table
            label={ACCESS.teams}
            columns={columns}
            rows={rows}
            rowKey={({ slug }) => slug}
            isLoading={list.rows === undefined}
            emptyState={<EmptyState icon="users" title={ACCESS.noTeams.title} text={ACCESS.noTeams.text} />}
            footer={<ListFoot list={{ ...list, rows }} nouns={ACCESS.teamNouns} />}
          />
        )}
      </div>
      {isAdding && (
        <AddTeamDialog
          place={place}
          organization={organization}
          roles={roles}
          there={rows.map(({ slug }) => slug)}
          onClose={() => setAdding(false)}
        />
      )}
      {leaving !== undefined && (
        <RemoveAccessDialog
          place={place}
          of={{ slug: leaving.slug, name: leaving.name }}
          onClose={() => setLeaving(undefined)}
        />
      )}
    </Section>
  );
}

function teamColumns(
  place: RepositoryPlace,
  roles: readonly RoleOption[],
  onRemove: (team: RepositoryTeam) => void,
): TableColumn<RepositoryTeam>[] {
  return [
    {
      id: 'team',
      head: ACCESS.team,
      isMain: true,
      cell: ({ name, description }) => (
        <span className="two">
          <b className="cut">{name}</b>
          {description !== null && <small className="cut">{description}</small>}
        </span>
      ),
    },
    {
      id: 'role',
      head: ACCESS.role,
      cell: (team) => (
        <RoleSelect
          name={team.name}
          role={roleOfTeam(team)}
          roles={roles}
          toCall={(role) => putTeamCall(place, team.slug, role)}
        />
      ),
    },
    {
      id: 'actions',
      head: ACCESS.actions,
      isEnd: true,
      cardLabel: null,
      cell: (team) => (
        <Button
          tone="ghost"
          size="sm"
          icon="x"
          label={ACCESS.remove(team.name)}
          onClick={() => onRemove(team)}
        />
      ),
    },
  ];
}
