// Name, description, tags, maintainer, lifetime and availability of a flag.
import { useEffect, useState } from 'react';
import { useDraft } from '../../app/drafts.ts';
import { TagsInput } from '../../lib/tags-input.tsx';
import { Button } from '../../ui/button.tsx';
import { Card, KeyValues } from '../../ui/card.tsx';
import { Checkbox, RadioCards } from '../../ui/choice.tsx';
import { Field } from '../../ui/field.tsx';
import { TextArea, TextInput } from '../../ui/input.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Tag } from '../../ui/status.tsx';
import { personName } from '../flag.ts';
import { LeaveGuard } from '../flag/leave-guard.tsx';
import { DETAIL_ACTIONS, useFlagPermissions } from '../permissions.ts';
import { SaveDialog } from '../save/save-dialog.tsx';
import type { FlagDetail } from './flag-detail.ts';
import { generalDraftOf, generalInstructions } from './general-draft.ts';
import { MaintainerFields } from './maintainer-fields.tsx';
import { useFlagTags } from './settings-queries.ts';
import { GENERAL_WORDS as WORDS, SETTINGS_WORDS } from './settings-words.ts';

interface GeneralProps {
  project: string;
  flag: FlagDetail;
}

/** What others save meanwhile is shown, unless something was typed here. */
export function GeneralCard({ project, flag }: GeneralProps) {
  const [isTouched, setTouched] = useState(false);
  const [read, setRead] = useState(flag);
  if (!isTouched && read.version !== flag.version) setRead(flag);
  const { isKnown, may } = useFlagPermissions(project, flag.key);
  if (!isKnown) return <Skeleton shape="tile" />;
  if (!may(...DETAIL_ACTIONS)) return <GeneralFacts flag={flag} />;
  return <GeneralForm key={read.version} project={project} flag={read} onTouch={setTouched} />;
}

/** For who may not change any of it. */
function GeneralFacts({ flag }: { flag: FlagDetail }) {
  const { clientSideAvailability, _maintainer, _maintainerTeam } = flag;
  const sdks = [
    WORDS.servers,
    ...(clientSideAvailability.usingEnvironmentId ? [WORDS.browsers] : []),
    ...(clientSideAvailability.usingMobileKey ? [WORDS.mobile] : []),
  ];
  const person = _maintainerTeam?.name ?? (_maintainer && personName(_maintainer));
  return (
    <Card title={WORDS.title} icon="flag">
      <KeyValues
        termWidth={140}
        items={[
          [WORDS.name, flag.name],
          [WORDS.description, flag.description || WORDS.none],
          [WORDS.tags, flag.tags.length === 0 ? WORDS.none : <Tags key="tags" tags={flag.tags} />],
          [WORDS.maintainer, person ?? WORDS.maintainers.none],
          [WORDS.lifetime, WORDS.lifetimes[flag.temporary ? 'temporary' : 'permanent'][0]],
          [WORDS.availability, sdks.join(', ')],
        ]}
      />
    </Card>
  );
}

function Tags({ tags }: { tags: readonly string[] }) {
  return (
    <span className="row row--4 row--wrap">
      {tags.map((tag) => (
        <Tag key={tag}>{tag}</Tag>
      ))}
    </span>
  );
}

function GeneralForm({ project, flag, onTouch }: GeneralProps & { onTouch: (isTouched: boolean) => void }) {
  const [before] = useState(() => generalDraftOf(flag));
  // A draft on top of an earlier version would take back what others have changed since.
  const {
    value: draft,
    change,
    forget,
  } = useDraft(`settings ${project} ${flag.key} ${flag.version}`, before);
  const [isSaving, setSaving] = useState(false);
  const tags = useFlagTags().data?.items;
  const instructions = generalInstructions(before, draft);
  const isChanged = instructions.length > 0;
  useEffect(() => onTouch(isChanged), [onTouch, isChanged]);
  const noMaintainer =
    draft.maintainerKind === 'member' && draft.member === ''
      ? WORDS.personMissing
      : draft.maintainerKind === 'team' && draft.team === ''
        ? WORDS.teamMissing
        : undefined;
  const noSave = flag.archived
    ? SETTINGS_WORDS.archived
    : draft.name.trim() === ''
      ? WORDS.nameMissing
      : (noMaintainer ?? (isChanged ? undefined : SETTINGS_WORDS.unchanged));
  return (
    <Card
      title={WORDS.title}
      icon="flag"
      footer={
        <div className="row">
          <Button tone="primary" disabledReason={noSave} onClick={() => setSaving(true)}>
            {SETTINGS_WORDS.save}
          </Button>
          {instructions.length > 0 && (
            <Button onClick={() => change(before)}>{SETTINGS_WORDS.discard}</Button>
          )}
        </div>
      }
    >
      <div className="tab-two">
        <div className="stack stack--16">
          <Field label={WORDS.name} error={draft.name.trim() === '' && WORDS.nameMissing}>
            <TextInput value={draft.name} maxLength={256} onValue={(name) => change({ name })} />
          </Field>
          <Field label={WORDS.description} optional>
            <TextArea rows={3} value={draft.description} onValue={(description) => change({ description })} />
          </Field>
          <TagsInput
            label={WORDS.tags}
            tags={draft.tags}
            known={tags}
            onChange={(next) => change({ tags: next })}
          />
        </div>
        <div className="stack stack--16">
          <MaintainerFields flag={flag} draft={draft} onChange={change} />
          <RadioCards
            label={WORDS.lifetime}
            value={draft.isTemporary ? 'temporary' : 'permanent'}
            onChange={(value) => change({ isTemporary: value === 'temporary' })}
            options={(['temporary', 'permanent'] as const).map((value) => {
              const [label, text] = WORDS.lifetimes[value];
              return { value, label, text };
            })}
          />
          <fieldset className="stack stack--8">
            <legend className="fld__l">{WORDS.availability}</legend>
            <Checkbox label={WORDS.servers} isChecked isDisabled onChange={() => undefined} />
            <Checkbox
              label={WORDS.browsers}
              isChecked={draft.usingEnvironmentId}
              onChange={(usingEnvironmentId) => change({ usingEnvironmentId })}
            />
            <Checkbox
              label={WORDS.mobile}
              isChecked={draft.usingMobileKey}
              onChange={(usingMobileKey) => change({ usingMobileKey })}
            />
            <p className="help">{WORDS.availabilityHelp}</p>
          </fieldset>
        </div>
      </div>
      {isChanged && <LeaveGuard count={instructions.length} onDiscard={forget} />}
      {isSaving && (
        <SaveDialog
          title={WORDS.saveTitle}
          change={{
            project,
            resource: { kind: 'flag', key: flag.key, name: flag.name },
            instructions,
            version: flag.version,
          }}
          onClose={() => setSaving(false)}
          onSaved={() => {
            setSaving(false);
            forget();
          }}
        />
      )}
    </Card>
  );
}
