// Gives a person or a team a role on a repository, and ends it.
import { useState } from 'react';
import type { Call } from '../../api/call.ts';
import { useChange } from '../../api/read.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { useSettled } from '../../lib/settled.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { RadioCards } from '../../ui/choice.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { SelectInput, TextInput } from '../../ui/input.tsx';
import { toast } from '../../ui/toast-store.ts';
import type { RepositoryPlace } from '../place.ts';
import {
  ACCESS_TOPICS,
  putPersonCall,
  putTeamCall,
  removePersonCall,
  removeTeamCall,
  useFoundUsers,
  useTeamsOf,
  type RoleOption,
} from './access-queries.ts';
import { ACCESS } from './access-words.ts';

const FIRST_ROLE = 'write';
/** The API lets few searches through each minute. */
const TYPING_MS = 400;

interface AddDialogProps {
  place: RepositoryPlace;
  roles: readonly RoleOption[];
  /** Those who have one already. */
  there: readonly string[];
  onClose: () => void;
}

export function AddPersonDialog({ place, roles, there, onClose }: AddDialogProps) {
  const [login, setLogin] = useState('');
  const [role, setRole] = useState(FIRST_ROLE);
  const [isTried, setTried] = useState(false);
  const call = putPersonCall(place, login.trim(), role);
  useSayDraft(call);
  const change = useChange<Call>((one) => one, ACCESS_TOPICS);
  return (
    <FormDialog
      title={ACCESS.addTitle}
      width={560}
      action={ACCESS.addConfirm}
      isBusy={change.isPending}
      error={change.error}
      onClose={onClose}
      onSubmit={() => {
        setTried(true);
        if (login.trim() === '') return;
        change.mutate(call, {
          onSuccess: () => {
            onClose();
            toast({ text: ACCESS.added(login.trim()), tone: 'ok' });
          },
        });
      }}
    >
      <FindUser
        value={login}
        there={there}
        error={isTried && login.trim() === '' ? ACCESS.missing : undefined}
        onChange={setLogin}
      />
      <RoleChoice roles={roles} value={role} onChange={setRole} />
    </FormDialog>
  );
}

interface FindUserProps {
  value: string;
  there: readonly string[];
  error: string | undefined;
  onChange: (login: string) => void;
}

function FindUser({ value, there, error, onChange }: FindUserProps) {
  const words = useSettled(value.trim(), TYPING_MS);
  const { data } = useFoundUsers(words);
  const found = words === '' ? [] : (data?.items ?? []).map(({ login }) => login);
  const isChosen = found.includes(value.trim());
  return (
    <div className="stack stack--8">
      <Field label={ACCESS.find} error={error}>
        <TextInput
          data-autofocus=""
          placeholder={ACCESS.findHint}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          value={value}
          onValue={onChange}
        />
      </Field>
      {!isChosen && found.length > 0 && (
        <ul className="row row--4 row--wrap" aria-label={ACCESS.found}>
          {found.map((login) => (
            <li key={login}>
              <Button
                size="sm"
                disabledReason={there.includes(login) ? ACCESS.isThere : undefined}
                onClick={() => onChange(login)}
              >
                {login}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {words !== '' && data !== undefined && found.length === 0 && (
        <p className="t13 muted" role="status">
          {ACCESS.nobody}
        </p>
      )}
    </div>
  );
}

interface RoleChoiceProps {
  roles: readonly RoleOption[];
  value: string;
  onChange: (role: string) => void;
}

function RoleChoice({ roles, value, onChange }: RoleChoiceProps) {
  return <RadioCards label={ACCESS.role} value={value} options={[...roles]} onChange={onChange} />;
}

export function AddTeamDialog(props: AddDialogProps & { organization: string }) {
  const { place, organization, roles, there, onClose } = props;
  const list = useTeamsOf(organization);
  const [slug, setSlug] = useState('');
  const [role, setRole] = useState(FIRST_ROLE);
  const [isTried, setTried] = useState(false);
  const call = putTeamCall(place, slug, role);
  useSayDraft(call);
  const change = useChange<Call>((one) => one, ACCESS_TOPICS);
  const free = (list.rows ?? []).filter((team) => !there.includes(team.slug));
  const isNone = list.rows !== undefined && free.length === 0 && !list.hasMore;
  return (
    <FormDialog
      title={ACCESS.addTeam}
      width={560}
      action={ACCESS.addConfirm}
      disabledReason={isNone ? ACCESS.allTeams : undefined}
      isBusy={change.isPending}
      error={change.error ?? list.error}
      onClose={onClose}
      onSubmit={() => {
        setTried(true);
        if (slug !== '') change.mutate(call, { onSuccess: onClose });
      }}
    >
      {isNone ? (
        <Banner tone="neutral">{ACCESS.allTeams}</Banner>
      ) : (
        <Field label={ACCESS.team} error={isTried && slug === '' && ACCESS.chooseTeam}>
          <SelectInput
            value={slug}
            onValue={setSlug}
            options={[
              { value: '', label: '' },
              ...free.map((team) => ({ value: team.slug, label: team.name })),
            ]}
          />
        </Field>
      )}
      {list.hasMore && (
        <div>
          <Button size="sm" isBusy={list.isReadingMore} onClick={list.readMore}>
            {ACCESS.moreTeams}
          </Button>
        </div>
      )}
      <RoleChoice roles={roles} value={role} onChange={setRole} />
    </FormDialog>
  );
}

export interface RemoveAccessDialogProps {
  place: RepositoryPlace;
  of: { login: string } | { slug: string; name: string };
  isSelf?: boolean | undefined;
  onClose: () => void;
}

export function RemoveAccessDialog({ place, of, isSelf = false, onClose }: RemoveAccessDialogProps) {
  const isPerson = 'login' in of;
  const name = isPerson ? of.login : of.name;
  const call = isPerson ? removePersonCall(place, of.login) : removeTeamCall(place, of.slug);
  useSayDraft(call);
  const change = useChange<Call>((one) => one, ACCESS_TOPICS);
  return (
    <ConfirmDialog
      title={ACCESS.removeTitle(name)}
      tone="danger"
      confirmLabel={ACCESS.removeConfirm}
      isBusy={change.isPending}
      error={change.error ?? undefined}
      onClose={onClose}
      onConfirm={() =>
        change.mutate(call, {
          onSuccess: () => {
            onClose();
            toast({ text: ACCESS.removed(name) });
          },
        })
      }
    >
      <p>{isPerson ? ACCESS.removeText : ACCESS.removeTeamText}</p>
      {isSelf && <Banner tone="warn">{ACCESS.removeSelf}</Banner>}
    </ConfirmDialog>
  );
}
