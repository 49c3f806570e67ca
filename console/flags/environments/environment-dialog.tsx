// Creates an environment, or changes one.
import { useState } from 'react';
import { path, type Call } from '../../api/call.ts';
import { useChange } from '../../api/read.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { TagsInput } from '../../lib/tags-input.tsx';
import { Checkbox } from '../../ui/choice.tsx';
import { Field } from '../../ui/field.tsx';
import { SelectInput, TextInput } from '../../ui/input.tsx';
import { useEnvironments } from '../queries.ts';
import {
  CHANGED,
  environmentPath,
  KEY,
  keyFrom,
  patchOf,
  useTagNames,
  type EnvironmentDetail,
  type ProjectDetail,
} from './environments-queries.ts';
import { FORM_WORDS } from './environments-words.ts';

interface EnvironmentDraft {
  name: string;
  /** Undefined as long as it follows the name. */
  key: string | undefined;
  color: string;
  tags: string[];
  critical: boolean;
  confirmChanges: boolean;
  requireComments: boolean;
  secureMode: boolean;
  defaultTrackEvents: boolean;
  ttl: string;
  /** The environment whose flags it begins with. */
  source: string;
}

const NEW: EnvironmentDraft = {
  name: '',
  key: undefined,
  color: '2f5bd7',
  tags: [],
  critical: false,
  confirmChanges: false,
  requireComments: false,
  secureMode: false,
  defaultTrackEvents: false,
  ttl: '0',
  source: '',
};

function draftOf(environment: EnvironmentDetail | undefined): EnvironmentDraft {
  if (environment === undefined) return NEW;
  const { defaultTtl, approvalSettings: _, _id, _version, apiKey: __, mobileKey: ___, ...rest } = environment;
  return { ...NEW, ...rest, ttl: String(defaultTtl) };
}

const SWITCHES = [
  ['critical', FORM_WORDS.critical, FORM_WORDS.criticalHelp],
  ['confirmChanges', FORM_WORDS.confirmChanges, FORM_WORDS.confirmChangesHelp],
  ['requireComments', FORM_WORDS.requireComments, FORM_WORDS.requireCommentsHelp],
] as const;
const SDK_SWITCHES = [
  ['secureMode', FORM_WORDS.secureMode, FORM_WORDS.secureModeHelp],
  ['defaultTrackEvents', FORM_WORDS.trackEvents, FORM_WORDS.trackEventsHelp],
] as const;

const isTtl = (text: string) => /^\d{1,2}$/.test(text) && Number(text) <= 60;

function fieldsOf(draft: EnvironmentDraft): Record<string, unknown> {
  const { name, color, tags, critical, confirmChanges, requireComments, secureMode } = draft;
  return {
    name: name.trim(),
    color,
    tags,
    critical,
    confirmChanges,
    requireComments,
    secureMode,
    defaultTrackEvents: draft.defaultTrackEvents,
    defaultTtl: Number(draft.ttl),
  };
}

export interface EnvironmentDialogProps {
  project: ProjectDetail;
  /** Absent to create one. */
  environment?: EnvironmentDetail;
  onClose: () => void;
  onSaved: (key: string) => void;
}

export function EnvironmentDialog({ project, environment, onClose, onSaved }: EnvironmentDialogProps) {
  const [before] = useState(() => draftOf(environment));
  const [draft, setDraft] = useState(before);
  const [isTried, setTried] = useState(false);
  const tags = useTagNames().data?.items;
  const key = draft.key ?? keyFrom(draft.name);
  const old = fieldsOf(before);
  const wanted = fieldsOf(draft);
  const changed = Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(old[name])),
  );
  const call: Call =
    environment === undefined
      ? {
          api: 'flags',
          method: 'POST',
          path: path`/projects/${project.key}/environments`,
          body: { key, ...wanted, ...(draft.source !== '' && { source: { key: draft.source } }) },
        }
      : {
          api: 'flags',
          method: 'PATCH',
          path: environmentPath(project.key, environment.key),
          body: patchOf(environment._version, changed),
        };
  useSayDraft(call);
  const save = useChange<Call>((one) => one, CHANGED);
  const change = (patch: Partial<EnvironmentDraft>) => setDraft({ ...draft, ...patch });
  const isBad = draft.name.trim() === '' || !KEY.test(key) || !isTtl(draft.ttl);
  const submit = () => {
    setTried(true);
    if (!isBad) save.mutate(call, { onSuccess: () => onSaved(key) });
  };
  const isSame = environment !== undefined && Object.keys(changed).length === 0;
  return (
    <FormDialog
      title={environment === undefined ? FORM_WORDS.newEnvironment : FORM_WORDS.editProject(environment.name)}
      width={560}
      action={environment === undefined ? FORM_WORDS.createEnvironment : FORM_WORDS.save}
      disabledReason={isSame ? FORM_WORDS.nothingChanged : undefined}
      isBusy={save.isPending}
      error={save.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={FORM_WORDS.name} error={isTried && draft.name.trim() === '' && FORM_WORDS.nameMissing}>
        <TextInput value={draft.name} maxLength={256} onValue={(name) => change({ name })} />
      </Field>
      {environment === undefined && (
        <>
          <Field
            label={FORM_WORDS.key}
            help={FORM_WORDS.keyHelp}
            error={isTried && !KEY.test(key) && FORM_WORDS.keyBad}
          >
            <TextInput isMono spellCheck={false} value={key} onValue={(text) => change({ key: text })} />
          </Field>
          <SourceField project={project.key} value={draft.source} onChange={(source) => change({ source })} />
        </>
      )}
      <Field label={FORM_WORDS.color} help={FORM_WORDS.colorHelp}>
        <TextInput
          type="color"
          className="color-in"
          value={`#${wholeColor(draft.color)}`}
          onValue={(color) => change({ color: color.slice(1) })}
        />
      </Field>
      <fieldset className="stack stack--8">
        <legend className="fld__l">{FORM_WORDS.guards}</legend>
        {SWITCHES.map(([name, label, help]) => (
          <Checkbox
            key={name}
            label={label}
            help={help}
            isChecked={draft[name]}
            onChange={(isOn) => change({ [name]: isOn })}
          />
        ))}
      </fieldset>
      <fieldset className="stack stack--8">
        <legend className="fld__l">{FORM_WORDS.sdks}</legend>
        {SDK_SWITCHES.map(([name, label, help]) => (
          <Checkbox
            key={name}
            label={label}
            help={help}
            isChecked={draft[name]}
            onChange={(isOn) => change({ [name]: isOn })}
          />
        ))}
      </fieldset>
      <Field
        label={FORM_WORDS.ttl}
        help={FORM_WORDS.ttlHelp}
        error={isTried && !isTtl(draft.ttl) && FORM_WORDS.ttlBad}
      >
        <TextInput inputMode="numeric" value={draft.ttl} onValue={(ttl) => change({ ttl })} />
      </Field>
      <TagsInput
        label={FORM_WORDS.tags}
        tags={draft.tags}
        known={tags}
        onChange={(all) => change({ tags: all })}
      />
    </FormDialog>
  );
}

/** A field of the browser for colours knows six digits only. */
function wholeColor(color: string): string {
  return color.length === 3 ? color.replaceAll(/./g, '$&$&') : color;
}

interface SourceFieldProps {
  project: string;
  value: string;
  onChange: (key: string) => void;
}

function SourceField({ project, value, onChange }: SourceFieldProps) {
  const { data } = useEnvironments(project);
  return (
    <Field label={FORM_WORDS.copyFrom}>
      <SelectInput
        value={value}
        onValue={onChange}
        options={[
          { value: '', label: FORM_WORDS.copyNone },
          ...(data?.items ?? []).map(({ key, name }) => ({ value: key, label: `${name} (${key})` })),
        ]}
      />
    </Field>
  );
}
