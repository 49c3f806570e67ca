// A new team, or the fields of one.
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useSayDraft } from '../../app/draft-call.ts';
import { RadioCards } from '../../ui/choice.tsx';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { SelectInput, TextInput } from '../../ui/input.tsx';
import { teamHref, type OrganizationTeam } from './organization.ts';
import { saveTeamCall, useOrganizationTeams, useSaveTeam, type TeamFields } from './orgs-queries.ts';
import { ORG_TEAMS } from './orgs-words.ts';

export interface TeamDialogProps {
  org: string;
  /** Undefined for a new one. */
  team?: OrganizationTeam | undefined;
  onClose: () => void;
}

export function TeamDialog({ org, team, onClose }: TeamDialogProps) {
  const [, navigate] = useLocation();
  const [fields, setFields] = useState<TeamFields>({
    name: team?.name ?? '',
    description: team?.description ?? '',
    privacy: team?.privacy ?? 'closed',
    parent: team?.parent?.slug ?? '',
  });
  const [isTried, setTried] = useState(false);
  const { rows: teams } = useOrganizationTeams(org);
  const change = (patch: Partial<TeamFields>) => setFields({ ...fields, ...patch });
  const call = saveTeamCall(org, team?.slug, fields);
  useSayDraft(call);
  const save = useSaveTeam();
  const isNamed = fields.name.trim() !== '';
  const submit = () => {
    setTried(true);
    if (!isNamed) return;
    save.mutate(call, {
      onSuccess: ({ slug }) => {
        onClose();
        // A new name changes the address, too.
        navigate(teamHref(org, slug), { replace: team !== undefined });
      },
    });
  };
  const parents = [...(team?.parent ? [team.parent] : []), ...teams].filter(
    ({ slug }) => slug !== team?.slug,
  );
  return (
    <FormDialog
      title={team === undefined ? ORG_TEAMS.newTitle : ORG_TEAMS.editTitle}
      width={520}
      action={team === undefined ? ORG_TEAMS.saveNew : ORG_TEAMS.save}
      isBusy={save.isPending}
      error={save.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={ORG_TEAMS.name} error={isTried && !isNamed ? ORG_TEAMS.needsName : undefined}>
        <TextInput maxLength={255} value={fields.name} onValue={(name) => change({ name })} />
      </Field>
      <Field label={ORG_TEAMS.description} optional>
        <TextInput
          maxLength={1000}
          value={fields.description}
          onValue={(description) => change({ description })}
        />
      </Field>
      <RadioCards
        label={ORG_TEAMS.privacy}
        value={fields.privacy}
        options={[
          { value: 'closed', label: ORG_TEAMS.closedLabel },
          {
            value: 'secret',
            label: ORG_TEAMS.secretLabel,
            disabledReason: fields.parent === '' ? undefined : ORG_TEAMS.nestedHelp,
          },
        ]}
        onChange={(privacy) => change({ privacy })}
      />
      {parents.length > 0 && (
        <Field label={ORG_TEAMS.parent}>
          <SelectInput
            value={fields.parent}
            onValue={(parent) => change({ parent, ...(parent !== '' && { privacy: 'closed' }) })}
            options={[
              { value: '', label: ORG_TEAMS.noParent },
              ...[...new Map(parents.map((one) => [one.slug, one.name]))].map(([value, label]) => ({
                value,
                label,
              })),
            ]}
          />
        </Field>
      )}
    </FormDialog>
  );
}
