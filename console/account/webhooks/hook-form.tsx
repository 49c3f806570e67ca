// The dialog that webhooks and integrations are created and changed in: what both have, around their own fields.
import type { ReactNode } from 'react';
import type { ApiError } from '../../api/error.ts';
import { TagsInput } from '../../lib/tags-input.tsx';
import { Checkbox } from '../../ui/choice.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { policyDraftOf, PolicyFields, statementsOf, type PolicyDraft } from './policy-fields.tsx';
import type { FlagWebhook } from '../../api/types/signalbox.ts';
import type { PatchOperation } from './webhooks-queries.ts';
import { FORM } from './webhooks-words.ts';

export interface HookDraft {
  name: string;
  isOn: boolean;
  tags: string[];
  policy: PolicyDraft;
}

export function hookDraftOf(hook: FlagWebhook | undefined): HookDraft {
  return {
    name: hook?.name ?? '',
    isOn: hook?.isOn ?? true,
    tags: hook?.tags ?? [],
    policy: policyDraftOf(hook?.statements ?? []),
  };
}

/** As the call that creates one has it. */
export function hookBodyOf({ name, isOn: on, tags, policy }: HookDraft) {
  return { name: name.trim(), on, tags, statements: statementsOf(policy) };
}

export function hookOperations(hook: FlagWebhook, draft: HookDraft): PatchOperation[] {
  const wanted = hookBodyOf(draft);
  const present = { name: hook.name, on: hook.isOn, tags: hook.tags, statements: hook.statements };
  return (Object.keys(wanted) as (keyof typeof wanted)[])
    .filter((name) => JSON.stringify(wanted[name]) !== JSON.stringify(present[name]))
    .map((name) => ({ op: 'add', path: `/${name}`, value: wanted[name] }));
}

interface HookFormProps<Draft extends HookDraft> {
  /** Absent to create one. */
  hook: FlagWebhook | undefined;
  newTitle: string;
  draft: Draft;
  onChange: (patch: Partial<HookDraft>) => void;
  /** Nothing differs from what is saved. */
  isSame: boolean;
  isBusy: boolean;
  error: ApiError | undefined;
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
}

export function HookForm<Draft extends HookDraft>(props: HookFormProps<Draft>) {
  const { hook, newTitle, draft, onChange, isSame, isBusy, error, onSubmit, onClose, children } = props;
  return (
    <FormDialog
      title={hook === undefined ? newTitle : FORM.editWebhook(hook.name)}
      width={560}
      action={hook === undefined ? FORM.create : FORM.save}
      disabledReason={isSame ? FORM.nothingChanged : undefined}
      isBusy={isBusy}
      error={error}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      {children}
      <Checkbox
        label={FORM.on}
        help={FORM.onHelp}
        isChecked={draft.isOn}
        onChange={(isOn) => onChange({ isOn })}
      />
      <PolicyFields draft={draft.policy} onChange={(policy) => onChange({ policy })} />
      <TagsInput label={FORM.tags} tags={draft.tags} onChange={(tags) => onChange({ tags })} />
    </FormDialog>
  );
}
