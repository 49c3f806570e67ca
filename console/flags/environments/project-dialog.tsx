// Creates a project, or changes one.
import { useState } from 'react';
import { path, type Call } from '../../api/call.ts';
import { useChange } from '../../api/read.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { TagsInput } from '../../lib/tags-input.tsx';
import { Checkbox } from '../../ui/choice.tsx';
import { Field } from '../../ui/field.tsx';
import { SelectInput, TextInput } from '../../ui/input.tsx';
import { CHANGED, KEY, keyFrom, patchOf, useTagNames, type ProjectDetail } from './environments-queries.ts';
import { CASES, FORM_WORDS } from './environments-words.ts';

interface ProjectDraft {
  name: string;
  /** Undefined as long as it follows the name. */
  key: string | undefined;
  tags: string[];
  form: string;
  prefix: string;
  usingEnvironmentId: boolean;
  usingMobileKey: boolean;
}

function draftOf(project: ProjectDetail | undefined): ProjectDraft {
  const { case: form = 'none', prefix = '' } = project?.namingConvention ?? {};
  return {
    name: project?.name ?? '',
    key: project?.key,
    tags: project?.tags ?? [],
    form,
    prefix,
    ...(project?.defaultClientSideAvailability ?? { usingEnvironmentId: false, usingMobileKey: true }),
  };
}

function fieldsOf({ name, tags, form, prefix, usingEnvironmentId, usingMobileKey }: ProjectDraft) {
  const hasNaming = form !== 'none' || prefix !== '';
  return {
    name: name.trim(),
    tags,
    defaultClientSideAvailability: { usingEnvironmentId, usingMobileKey },
    ...(hasNaming && { namingConvention: { case: form, prefix } }),
  };
}

/** What differs; a convention that is given up is removed. */
function changedFields(before: ProjectDraft, after: ProjectDraft): Record<string, unknown> {
  const [old, wanted] = [fieldsOf(before), fieldsOf(after)] as Record<string, unknown>[];
  const names = new Set([...Object.keys(old!), ...Object.keys(wanted!)]);
  return Object.fromEntries(
    [...names]
      .filter((name) => JSON.stringify(old![name]) !== JSON.stringify(wanted![name]))
      .map((name) => [name, wanted![name]]),
  );
}

export interface ProjectDialogProps {
  /** Absent to create one. */
  project?: ProjectDetail;
  onClose: () => void;
  onSaved: (project: { key: string }) => void;
}

export function ProjectDialog({ project, onClose, onSaved }: ProjectDialogProps) {
  const [before] = useState(() => draftOf(project));
  const [draft, setDraft] = useState(before);
  const [isTried, setTried] = useState(false);
  const tags = useTagNames().data?.items;
  const key = draft.key ?? keyFrom(draft.name);
  const changed = changedFields(before, draft);
  const call: Call =
    project === undefined
      ? { api: 'flags', method: 'POST', path: '/projects', body: { key, ...fieldsOf(draft) } }
      : {
          api: 'flags',
          method: 'PATCH',
          path: path`/projects/${project.key}`,
          body: patchOf(project._version, changed),
        };
  useSayDraft(call);
  const save = useChange<Call, { key: string }>((one) => one, CHANGED);
  const change = (patch: Partial<ProjectDraft>) => setDraft({ ...draft, ...patch });
  const nameError = isTried && draft.name.trim() === '' && FORM_WORDS.nameMissing;
  const keyError = isTried && !KEY.test(key) && FORM_WORDS.keyBad;
  const submit = () => {
    setTried(true);
    if (draft.name.trim() === '' || !KEY.test(key)) return;
    save.mutate(call, { onSuccess: () => onSaved({ key }) });
  };
  const isSame = project !== undefined && Object.keys(changed).length === 0;
  return (
    <FormDialog
      title={project === undefined ? FORM_WORDS.newProject : FORM_WORDS.editProject(project.name)}
      text={project === undefined ? FORM_WORDS.newProjectText : undefined}
      width={560}
      action={project === undefined ? FORM_WORDS.createProject : FORM_WORDS.save}
      disabledReason={isSame ? FORM_WORDS.nothingChanged : undefined}
      isBusy={save.isPending}
      error={save.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={FORM_WORDS.name} error={nameError}>
        <TextInput value={draft.name} maxLength={256} onValue={(name) => change({ name })} />
      </Field>
      {project === undefined && (
        <Field label={FORM_WORDS.key} help={FORM_WORDS.keyHelp} error={keyError}>
          <TextInput isMono spellCheck={false} value={key} onValue={(text) => change({ key: text })} />
        </Field>
      )}
      <TagsInput
        label={FORM_WORDS.tags}
        tags={draft.tags}
        known={tags}
        onChange={(all) => change({ tags: all })}
      />
      <Field label={FORM_WORDS.naming}>
        <SelectInput
          value={draft.form}
          onValue={(form) => change({ form })}
          options={Object.entries(CASES).map(([value, label]) => ({ value, label }))}
        />
      </Field>
      <Field label={FORM_WORDS.prefix} optional>
        <TextInput isMono maxLength={100} value={draft.prefix} onValue={(prefix) => change({ prefix })} />
      </Field>
      <fieldset className="stack stack--8">
        <legend className="fld__l">{FORM_WORDS.availability}</legend>
        <Checkbox
          label={FORM_WORDS.clientSide}
          isChecked={draft.usingEnvironmentId}
          onChange={(usingEnvironmentId) => change({ usingEnvironmentId })}
        />
        <Checkbox
          label={FORM_WORDS.mobile}
          isChecked={draft.usingMobileKey}
          onChange={(usingMobileKey) => change({ usingMobileKey })}
        />
      </fieldset>
    </FormDialog>
  );
}
