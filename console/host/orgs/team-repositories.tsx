// The repositories of a team, and its role on each.
import { useState } from 'react';
import { useSayDraft } from '../../app/draft-call.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ChangeError } from '../../ui/change-error.tsx';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { SelectInput } from '../../ui/input.tsx';
import { TextLink } from '../../ui/link.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Badge } from '../../ui/status.tsx';
import { PickList } from '../pick-list.tsx';
import { repositoryHref } from '../place.ts';
import {
  REPOSITORY_ROLES,
  roleOfTeam,
  type RepositoryRoleWord,
  type TeamRepository,
} from './organization.ts';
import {
  teamRepositoryCall,
  useChangeTeam,
  useOrganizationRepositories,
  useTeamRepositories,
} from './orgs-queries.ts';
import { TEAM } from './orgs-words.ts';

const ROLE_OPTIONS = REPOSITORY_ROLES.map((value) => ({ value, label: TEAM.permissions[value] }));

export interface TeamRepositoriesProps {
  org: string;
  team: string;
  /** Admins of the organization. */
  mayChange: boolean;
}

export function TeamRepositories({ org, team, mayChange }: TeamRepositoriesProps) {
  const { rows, error, retry, hasMore, isReadingMore, readMore } = useTeamRepositories(org, team);
  const [isAdding, setAdding] = useState(false);
  return (
    <Card
      title={TEAM.repositories}
      actions={
        mayChange ? (
          <Button size="sm" icon="plus" onClick={() => setAdding(true)}>
            {TEAM.addRepository}
          </Button>
        ) : undefined
      }
    >
      {error !== null ? (
        <ReadProblem error={error} onRetry={retry} isPlain />
      ) : rows === undefined ? (
        <Skeleton lines={3} />
      ) : rows.length === 0 ? (
        <p className="muted t13">{TEAM.noRepositories}</p>
      ) : (
        <ul className="teams__members">
          {rows.map((repository) => (
            <RepositoryRow
              key={repository.id}
              org={org}
              team={team}
              repository={repository}
              mayChange={mayChange}
            />
          ))}
        </ul>
      )}
      {hasMore && (
        <Button size="sm" isBusy={isReadingMore} onClick={readMore}>
          {TEAM.moreMembers}
        </Button>
      )}
      {isAdding && <AddRepository org={org} team={team} onClose={() => setAdding(false)} />}
    </Card>
  );
}

interface RepositoryRowProps {
  org: string;
  team: string;
  repository: TeamRepository;
  mayChange: boolean;
}

function RepositoryRow({ org, team, repository, mayChange }: RepositoryRowProps) {
  const { name, owner } = repository;
  const role = roleOfTeam(repository);
  const change = useChangeTeam();
  return (
    <li>
      <Icon name="code" className="muted" />
      <TextLink href={repositoryHref({ owner: owner.login, repo: name })}>{name}</TextLink>
      <ChangeError error={change.error} />
      <span className="push" />
      {mayChange ? (
        <>
          <SelectInput
            controlSize="sm"
            className="teams__role"
            aria-label={TEAM.permissionOf(name)}
            value={role}
            options={ROLE_OPTIONS}
            onValue={(next) => change.mutate(teamRepositoryCall(org, team, name, next as RepositoryRoleWord))}
          />
          <Button
            tone="ghost"
            size="sm"
            icon="trash"
            label={TEAM.removeRepository(name)}
            isBusy={change.isPending}
            onClick={() => change.mutate(teamRepositoryCall(org, team, name, null))}
          />
        </>
      ) : (
        <Badge>{TEAM.permissions[role]}</Badge>
      )}
    </li>
  );
}

function AddRepository({ org, team, onClose }: { org: string; team: string; onClose: () => void }) {
  const list = useOrganizationRepositories(org);
  const [name, setName] = useState<string>();
  const [role, setRole] = useState<RepositoryRoleWord>('pull');
  const [isTried, setTried] = useState(false);
  const call = name === undefined ? undefined : teamRepositoryCall(org, team, name, role);
  useSayDraft(call);
  const change = useChangeTeam();
  const submit = () => {
    setTried(true);
    if (call !== undefined) change.mutate(call, { onSuccess: onClose });
  };
  return (
    <FormDialog
      title={TEAM.addRepository}
      width={480}
      action={TEAM.addRepository}
      isBusy={change.isPending}
      error={change.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label={TEAM.repository}
        error={isTried && name === undefined ? TEAM.chooseRepository : undefined}
      >
        {(id) => (
          <PickList
            label={TEAM.repository}
            isSingle
            trigger={
              <Button id={id} hasCaret label={`${TEAM.repository}: ${name ?? TEAM.choose}`}>
                {name ?? TEAM.choose}
              </Button>
            }
            options={
              list.isLoading
                ? undefined
                : list.rows.map((one) => ({ id: one.name, label: one.name, detail: one.description ?? '' }))
            }
            chosen={name === undefined ? [] : [name]}
            onToggle={setName}
            hasMore={list.hasMore}
            readMore={list.readMore}
          />
        )}
      </Field>
      <Field label={TEAM.permission}>
        <SelectInput
          value={role}
          options={ROLE_OPTIONS}
          onValue={(next) => setRole(next as RepositoryRoleWord)}
        />
      </Field>
    </FormDialog>
  );
}
