// The settings of an organization, for its admins: its profile, what members may do, and its end.
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useSayDraft } from '../../app/draft-call.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ChangeError } from '../../ui/change-error.tsx';
import { Checkbox, RadioCards } from '../../ui/choice.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { TextInput } from '../../ui/input.tsx';
import { toast } from '../../ui/toast-store.ts';
import type { Organization } from './organization.ts';
import { organizationPatchCall, useChangeOrganization, useDeleteOrganization } from './orgs-queries.ts';
import { ORG_SETTINGS } from './orgs-words.ts';
import '../../styles/orgs.css';

const PROFILE = ['name', 'description', 'email', 'blog', 'location', 'company'] as const;
const PERMISSIONS = ['none', 'read', 'write', 'admin'] as const;
const CREATIONS = ['all', 'private', 'none'] as const;

type Settings = Record<(typeof PROFILE)[number], string> & {
  default_repository_permission: string;
  members_allowed_repository_creation_type: string;
  members_can_fork_private_repositories: boolean;
};

function settingsOf(organization: Organization): Settings {
  const profile = PROFILE.map((field) => [field, organization[field] ?? '']);
  return {
    ...(Object.fromEntries(profile) as Record<(typeof PROFILE)[number], string>),
    default_repository_permission: organization.default_repository_permission ?? 'read',
    members_allowed_repository_creation_type: organization.members_allowed_repository_creation_type ?? 'all',
    members_can_fork_private_repositories: organization.members_can_fork_private_repositories ?? false,
  };
}

export function OrganizationSettings({ organization }: { organization: Organization }) {
  return (
    <div className="stack stack--16 org-settings">
      <SettingsForm organization={organization} />
      <Danger login={organization.login} />
    </div>
  );
}

function SettingsForm({ organization }: { organization: Organization }) {
  const { login } = organization;
  const present = settingsOf(organization);
  const [changed, setChanged] = useState<Partial<Settings>>({});
  const value = { ...present, ...changed };
  // Only what differs is sent: what somebody else has changed meanwhile stays.
  const body = Object.fromEntries(
    Object.entries(changed).filter(([name, one]) => one !== present[name as keyof Settings]),
  );
  const isSame = Object.keys(body).length === 0;
  const call = organizationPatchCall(login, body);
  useSayDraft(isSame ? undefined : call);
  const save = useChangeOrganization();
  const change = (patch: Partial<Settings>) => setChanged({ ...changed, ...patch });
  return (
    <form
      className="stack stack--16"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (isSame) return;
        save.mutate(call, {
          onSuccess: () => {
            setChanged({});
            toast({ text: ORG_SETTINGS.saved });
          },
        });
      }}
    >
      <ChangeError error={save.error} />
      <Card title={ORG_SETTINGS.profile}>
        <div className="stack stack--16">
          {PROFILE.map((field) => (
            <Field
              key={field}
              label={ORG_SETTINGS[field]}
              optional
              error={save.error?.fields.find((one) => one.field.endsWith(field))?.message}
            >
              <TextInput
                maxLength={field === 'description' ? 1000 : 255}
                value={value[field]}
                onValue={(text) => change({ [field]: text })}
              />
            </Field>
          ))}
        </div>
      </Card>
      <Card title={ORG_SETTINGS.members}>
        <div className="stack stack--16">
          <RadioCards
            label={ORG_SETTINGS.defaultPermission}
            value={value.default_repository_permission}
            options={PERMISSIONS.map((one) => ({
              value: one,
              label: ORG_SETTINGS.defaultPermissions[one][0],
              text: ORG_SETTINGS.defaultPermissions[one][1],
            }))}
            onChange={(next) => change({ default_repository_permission: next })}
          />
          <RadioCards
            label={ORG_SETTINGS.creation}
            value={value.members_allowed_repository_creation_type}
            options={CREATIONS.map((one) => ({
              value: one,
              label: ORG_SETTINGS.creations[one][0],
              text: ORG_SETTINGS.creations[one][1],
            }))}
            onChange={(next) => change({ members_allowed_repository_creation_type: next })}
          />
          <Checkbox
            label={ORG_SETTINGS.forks}
            isChecked={value.members_can_fork_private_repositories}
            onChange={(next) => change({ members_can_fork_private_repositories: next })}
          />
        </div>
      </Card>
      <div className="row">
        <Button
          type="submit"
          tone="primary"
          isBusy={save.isPending}
          disabledReason={isSame ? ORG_SETTINGS.nothing : undefined}
        >
          {ORG_SETTINGS.save}
        </Button>
      </div>
    </form>
  );
}

function Danger({ login }: { login: string }) {
  const [, navigate] = useLocation();
  const [isAsked, setAsked] = useState(false);
  const remove = useDeleteOrganization(login);
  const end = () => {
    toast({ text: ORG_SETTINGS.deleted(login) });
    navigate('/orgs', { replace: true });
  };
  return (
    <Card title={ORG_SETTINGS.danger}>
      <div className="row row--wrap">
        <p className="grow t13">{ORG_SETTINGS.deleteText}</p>
        <Button tone="danger" icon="trash" onClick={() => setAsked(true)}>
          {ORG_SETTINGS.delete}
        </Button>
      </div>
      {isAsked && (
        <ConfirmDialog
          title={ORG_SETTINGS.deleteTitle(login)}
          confirmLabel={ORG_SETTINGS.delete}
          tone="danger"
          typeToConfirm={login}
          isBusy={remove.isPending}
          error={remove.error ?? undefined}
          onConfirm={() => remove.mutate(undefined, { onSuccess: end })}
          onClose={() => setAsked(false)}
        >
          {ORG_SETTINGS.deleteMore}
        </ConfirmDialog>
      )}
    </Card>
  );
}
