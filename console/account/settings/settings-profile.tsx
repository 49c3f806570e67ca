// The name and the address of the person who is logged in.
import { useState, type FormEvent } from 'react';
import type { Call } from '../../api/call.ts';
import { useChange } from '../../api/read.ts';
import type { Me } from '../../api/types/signalbox.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { announce } from '../../ui/announce.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Card, KeyValues } from '../../ui/card.tsx';
import { Field } from '../../ui/field.tsx';
import { TextInput } from '../../ui/input.tsx';
import { Key, Status } from '../../ui/status.tsx';
import { PROFILE, SETTINGS } from './settings-words.ts';

interface Profile {
  firstName: string;
  lastName: string;
  email: string;
}

const EMAIL = /^[^\s@]+@[^\s@]+$/;

function callOf(changed: Partial<Profile>): Call {
  return { api: 'signalbox', method: 'PATCH', path: '/me', body: changed };
}

export function ProfileCard({ me }: { me: Me }) {
  const { member } = me;
  const present: Profile = {
    firstName: member.firstName ?? '',
    lastName: member.lastName ?? '',
    email: member.email,
  };
  const [typed, setTyped] = useState<Partial<Profile>>({});
  const [isLeft, setLeft] = useState(false);
  const save = useChange<Partial<Profile>, Me>(callOf, ['member']);
  const shown = { ...present, ...typed };
  const changed = Object.fromEntries(
    Object.entries(shown).filter(([name, value]) => value.trim() !== present[name as keyof Profile]),
  ) as Partial<Profile>;
  const isChanged = Object.keys(changed).length > 0;
  useSayDraft(isChanged ? callOf(changed) : undefined);
  const errorAt = (name: keyof Profile) =>
    save.error?.fields.find(({ field }) => field.replace(/^\//, '') === name)?.message;
  const emailError = isLeft && !EMAIL.test(shown.email.trim()) ? PROFILE.emailBad : errorAt('email');
  const change = (patch: Partial<Profile>) => {
    setTyped({ ...typed, ...patch });
    save.reset();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setLeft(true);
    if (!isChanged || !EMAIL.test(shown.email.trim())) return;
    save.mutate(changed, {
      onSuccess: () => {
        setTyped({});
        announce(SETTINGS.saved);
      },
    });
  };
  const inputProps = (name: keyof Profile) => ({
    value: shown[name],
    onValue: (value: string) => change({ [name]: value }),
  });
  const isPlaced = (save.error?.fields.length ?? 0) > 0;
  return (
    <Card title={PROFILE.title} icon="user">
      <form className="stack stack--16" noValidate onSubmit={submit}>
        {save.error !== null && !isPlaced && <Banner tone="bad">{save.error.message}</Banner>}
        <div className="set__two">
          <Field label={PROFILE.firstName} optional error={errorAt('firstName')}>
            <TextInput autoComplete="given-name" maxLength={256} {...inputProps('firstName')} />
          </Field>
          <Field label={PROFILE.lastName} optional error={errorAt('lastName')}>
            <TextInput autoComplete="family-name" maxLength={256} {...inputProps('lastName')} />
          </Field>
        </div>
        <Field label={PROFILE.email} help={PROFILE.emailHelp} error={emailError}>
          <TextInput
            type="email"
            autoComplete="email"
            maxLength={256}
            {...inputProps('email')}
            onBlur={() => setLeft(true)}
          />
        </Field>
        <KeyValues
          items={[
            [PROFILE.username, <UsernameValue key="name" name={member.username} />],
            [PROFILE.role, member.role],
            ...(member.customRoles.length === 0
              ? []
              : [[PROFILE.customRoles, member.customRoles.join(', ')] as [string, string]]),
          ]}
        />
        <div className="row">
          <Button
            type="submit"
            tone="primary"
            isBusy={save.isPending}
            disabledReason={isChanged ? undefined : PROFILE.nothingChanged}
          >
            {SETTINGS.save}
          </Button>
          {save.isSuccess && !isChanged && <Status tone="ok">{SETTINGS.saved}</Status>}
        </div>
      </form>
    </Card>
  );
}

function UsernameValue({ name }: { name: string }) {
  return (
    <>
      <Key>{name}</Key> <span className="muted t12">{PROFILE.usernameHelp}</span>
    </>
  );
}
