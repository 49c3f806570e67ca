// The dialogs of the danger zone. What cannot be taken back, or reaches everybody, is confirmed by the name of the repository.
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Call } from '../../api/call.ts';
import { invalidateTopics, useChange, useRead } from '../../api/read.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { useMe } from '../../app/me.ts';
import { Banner } from '../../ui/banner.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { formatCount } from '../../ui/format.ts';
import { SelectInput, TextInput } from '../../ui/input.tsx';
import { toast } from '../../ui/toast-store.ts';
import { settingsHref, type RepositoryPlace } from '../place.ts';
import { repositoryCall, TOPICS } from '../queries.ts';
import type { Repository } from '../repository.ts';
import { DANGER } from './settings-words.ts';

interface DangerDialogProps {
  place: RepositoryPlace;
  repository: Repository;
  onClose: () => void;
}

/** Of the new address: the old one would be answered by a redirect. */
function useMoved() {
  const [, navigate] = useLocation();
  return ({ owner, name }: Pick<Repository, 'owner' | 'name'>) =>
    navigate(settingsHref({ owner: owner.login, repo: name }, ''), { replace: true });
}

export function RenameDialog({ place, repository, onClose }: DangerDialogProps) {
  const [name, setName] = useState(repository.name);
  const [isTried, setTried] = useState(false);
  const call: Call = { ...repositoryCall(place), method: 'PATCH', body: { name: name.trim() } };
  useSayDraft(call);
  const change = useChange<Call, Repository>((one) => one, TOPICS);
  const move = useMoved();
  const sent = change.error?.fields.find(({ field }) => field === 'name')?.message;
  const problem = problemOf(name.trim(), repository.name);
  return (
    <FormDialog
      title={DANGER.renameTitle(repository.full_name)}
      text={DANGER.renameText}
      width={520}
      action={DANGER.renameConfirm}
      isBusy={change.isPending}
      error={change.error}
      onClose={onClose}
      onSubmit={() => {
        setTried(true);
        if (problem === undefined)
          change.mutate(call, {
            onSuccess: (renamed) => {
              onClose();
              move(renamed);
            },
          });
      }}
    >
      <Field label={DANGER.newName} help={DANGER.nameHelp} error={isTried ? (problem ?? sent) : undefined}>
        <TextInput
          isMono
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          value={name}
          onValue={setName}
        />
      </Field>
    </FormDialog>
  );
}

function problemOf(name: string, present: string): string | undefined {
  if (name === present) return DANGER.sameName;
  const isGood = /^[\w.-]{1,100}$/.test(name) && !/^\.{1,2}$|\.(?:git|wiki|atom)$/i.test(name);
  return isGood ? undefined : DANGER.badName;
}

export function VisibilityDialog({ place, repository, onClose }: DangerDialogProps) {
  const isPrivate = repository.private;
  const call: Call = {
    ...repositoryCall(place),
    method: 'PATCH',
    body: { visibility: isPrivate ? 'public' : 'private' },
  };
  useSayDraft(call);
  const change = useChange<Call>((one) => one, TOPICS);
  return (
    <ConfirmDialog
      title={DANGER.visibilityTitle(repository.full_name, isPrivate)}
      tone="danger"
      confirmLabel={DANGER.visibility(isPrivate)}
      typeToConfirm={repository.name}
      isBusy={change.isPending}
      error={change.error ?? undefined}
      onClose={onClose}
      onConfirm={() => change.mutate(call, { onSuccess: onClose })}
    >
      <Parts parts={isPrivate ? DANGER.publicParts : DANGER.privateParts} />
    </ConfirmDialog>
  );
}

export function ArchiveDialog({ place, repository, onClose }: DangerDialogProps) {
  const { archived: isArchived } = repository;
  const call: Call = { ...repositoryCall(place), method: 'PATCH', body: { archived: !isArchived } };
  useSayDraft(call);
  const change = useChange<Call>((one) => one, TOPICS);
  return (
    <ConfirmDialog
      title={DANGER.archiveTitle(repository.full_name, isArchived)}
      tone={isArchived ? 'normal' : 'danger'}
      confirmLabel={DANGER.archiveConfirm(isArchived)}
      typeToConfirm={isArchived ? undefined : repository.name}
      isBusy={change.isPending}
      error={change.error ?? undefined}
      onClose={onClose}
      onConfirm={() => change.mutate(call, { onSuccess: onClose })}
    >
      <p>{DANGER.archiveText(isArchived)}</p>
    </ConfirmDialog>
  );
}

export function TransferDialog({ place, repository, onClose }: DangerDialogProps) {
  const { data: me } = useMe();
  const { data: organizations } = useRead<{ login: string }[]>({
    call: { api: 'host', path: '/user/orgs', query: { per_page: 100 } },
  });
  const [owner, setOwner] = useState('');
  const call: Call = { ...repositoryCall(place, '/transfer'), method: 'POST', body: { new_owner: owner } };
  useSayDraft(call);
  const change = useChange<Call, Repository>((one) => one, TOPICS);
  const move = useMoved();
  const owners = [
    ...(me === undefined ? [] : [me.username]),
    ...(organizations ?? []).map(({ login }) => login),
  ].filter((login) => login !== repository.owner.login);
  const isNone = organizations !== undefined && me !== undefined && owners.length === 0;
  return (
    <ConfirmDialog
      title={DANGER.transferTitle(repository.full_name)}
      tone="danger"
      confirmLabel={DANGER.transferConfirm(owner)}
      typeToConfirm={repository.name}
      disabledReason={isNone ? DANGER.noOwners : owner === '' ? DANGER.chooseOwner : undefined}
      isBusy={change.isPending}
      error={change.error ?? undefined}
      onClose={onClose}
      onConfirm={() =>
        change.mutate(call, {
          onSuccess: (moved) => {
            onClose();
            move(moved);
          },
        })
      }
    >
      <Parts parts={DANGER.transferParts} />
      {isNone ? (
        <Banner tone="neutral">{DANGER.noOwners}</Banner>
      ) : (
        <Field label={DANGER.newOwner}>
          <SelectInput
            value={owner}
            onValue={setOwner}
            options={[{ value: '', label: '' }, ...owners.map((login) => ({ value: login, label: login }))]}
          />
        </Field>
      )}
    </ConfirmDialog>
  );
}

export function DeleteDialog({ place, repository, onClose }: DangerDialogProps) {
  const [, navigate] = useLocation();
  const call: Call = { ...repositoryCall(place), method: 'DELETE' };
  useSayDraft(call);
  const change = useChange<Call>((one) => one);
  const { forks_count: forks, full_name: fullName } = repository;
  return (
    <ConfirmDialog
      title={DANGER.deleteTitle(fullName)}
      tone="danger"
      confirmLabel={DANGER.deleteConfirm}
      typeToConfirm={repository.name}
      isBusy={change.isPending}
      error={change.error ?? undefined}
      onClose={onClose}
      onConfirm={() =>
        change.mutate(call, {
          onSuccess: () => {
            navigate('/code');
            invalidateTopics(TOPICS);
            toast({ text: DANGER.deleted(fullName) });
          },
        })
      }
    >
      <p>{DANGER.deleteIntro}</p>
      <Parts parts={DANGER.deleteParts} />
      {forks > 0 && <p>{DANGER.deleteForks(formatCount(forks), forks === 1)}</p>}
    </ConfirmDialog>
  );
}

function Parts({ parts }: { parts: readonly string[] }) {
  return (
    <ul className="rset__parts">
      {parts.map((part) => (
        <li key={part}>{part}</li>
      ))}
    </ul>
  );
}
