// Which changes of an environment need approval, and by how many.
import { useState } from 'react';
import type { Call } from '../../api/call.ts';
import { useChange } from '../../api/read.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { ChangeError } from '../../ui/change-error.tsx';
import { TagsInput } from '../../lib/tags-input.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox, RadioCards } from '../../ui/choice.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, FieldError } from '../../ui/field.tsx';
import { SelectInput } from '../../ui/input.tsx';
import {
  approvalsOf,
  CHANGED,
  environmentPath,
  patchOf,
  useTagNames,
  type ApprovalSettings,
  type ApprovedKind,
  type EnvironmentDetail,
} from './environments-queries.ts';
import { APPROVAL_WORDS, FORM_WORDS } from './environments-words.ts';

export function approvalText({ required, requiredApprovalTags, minNumApprovals }: ApprovalSettings): string {
  if (!required && requiredApprovalTags.length === 0) return APPROVAL_WORDS.notRequired;
  const what = required ? APPROVAL_WORDS.required : APPROVAL_WORDS.ofTags(requiredApprovalTags.join(', '));
  return `${what}, ${APPROVAL_WORDS.needs(minNumApprovals)}`;
}

type Mode = 'none' | 'all' | 'tags';
const MODES: readonly Mode[] = ['none', 'all', 'tags'];
const COUNTS = ['1', '2', '3', '4', '5'];
const SWITCHES = [
  ['canReviewOwnRequest', APPROVAL_WORDS.own],
  ['canApplyDeclinedChanges', APPROVAL_WORDS.declined],
  ['autoApplyApprovedChanges', APPROVAL_WORDS.auto],
  ['bypassApprovalsForPendingChanges', APPROVAL_WORDS.bypass],
] as const;

function modeOf({ required, requiredApprovalTags }: ApprovalSettings): Mode {
  if (required) return 'all';
  return requiredApprovalTags.length > 0 ? 'tags' : 'none';
}

export interface ApprovalDialogProps {
  project: string;
  environment: EnvironmentDetail;
  /** Whose changes wait for approval. */
  kind: ApprovedKind;
  onClose: () => void;
}

export function ApprovalDialog({ project, environment, kind, onClose }: ApprovalDialogProps) {
  const present = approvalsOf(environment, kind);
  const [settings, setSettings] = useState(present);
  const [mode, setMode] = useState(modeOf(present));
  const [isTried, setTried] = useState(false);
  const known = useTagNames().data?.items;
  const wanted: ApprovalSettings = {
    ...settings,
    required: mode === 'all',
    requiredApprovalTags: mode === 'tags' ? settings.requiredApprovalTags : [],
  };
  const call: Call = {
    api: 'flags',
    method: 'PATCH',
    path: environmentPath(project, environment.key),
    body: patchOf(
      environment._version,
      kind === 'flag' ? { approvalSettings: wanted } : { resourceApprovalSettings: { segment: wanted } },
    ),
  };
  useSayDraft(call);
  const save = useChange<Call>((one) => one, CHANGED);
  const lacksTags = mode === 'tags' && settings.requiredApprovalTags.length === 0;
  const submit = () => {
    setTried(true);
    if (!lacksTags) save.mutate(call, { onSuccess: onClose });
  };
  const change = (patch: Partial<ApprovalSettings>) => setSettings({ ...settings, ...patch });
  const isSame = JSON.stringify(wanted) === JSON.stringify(present);
  return (
    <Dialog
      title={APPROVAL_WORDS.title(APPROVAL_WORDS.kinds[kind], environment.name)}
      text={APPROVAL_WORDS.text}
      width={560}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{FORM_WORDS.cancel}</Button>
          <Button
            tone="primary"
            isBusy={save.isPending}
            disabledReason={isSame ? FORM_WORDS.nothingChanged : undefined}
            onClick={submit}
          >
            {APPROVAL_WORDS.save}
          </Button>
        </>
      }
    >
      <div className="stack stack--16">
        <ChangeError error={save.error} />
        <RadioCards
          label={APPROVAL_WORDS.mode}
          value={mode}
          onChange={setMode}
          options={MODES.map((value) => {
            const [label, text] = APPROVAL_WORDS.modes[value];
            return { value, label, text };
          })}
        />
        {mode === 'tags' && (
          <div>
            <TagsInput
              label={APPROVAL_WORDS.tags}
              tags={settings.requiredApprovalTags}
              known={known}
              onChange={(requiredApprovalTags) => change({ requiredApprovalTags })}
            />
            {isTried && lacksTags && <FieldError>{APPROVAL_WORDS.tagsMissing}</FieldError>}
          </div>
        )}
        {mode !== 'none' && (
          <>
            <Field label={APPROVAL_WORDS.minimum}>
              <SelectInput
                value={String(settings.minNumApprovals)}
                onValue={(count) => change({ minNumApprovals: Number(count) })}
                options={COUNTS.map((value) => ({ value, label: value }))}
              />
            </Field>
            <div className="stack stack--8">
              {SWITCHES.map(([name, label]) => (
                <Checkbox
                  key={name}
                  label={label}
                  isChecked={settings[name]}
                  onChange={(isOn) => change({ [name]: isOn })}
                />
              ))}
            </div>
          </>
        )}
      </div>
    </Dialog>
  );
}
