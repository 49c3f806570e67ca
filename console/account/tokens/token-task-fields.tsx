// The scope of a token by its task: least policies that the server knows, with names filled in from lists.
import type { TokenTask } from '../../api/types/signalbox.ts';
import { useId } from 'react';
import { Button } from '../../ui/button.tsx';
import { RadioCards } from '../../ui/choice.tsx';
import { Field, FieldError } from '../../ui/field.tsx';
import { SelectInput, TextInput } from '../../ui/input.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { policyText } from '../policy/policy.ts';
import type { DraftErrors, TokenDraft } from './token-draft.ts';
import { fillPolicy } from './token-policy.ts';
import {
  useActorNames,
  useEnvironmentKeys,
  useProjectKeys,
  useRepositoryNames,
  useTokenTasks,
} from './tokens-queries.ts';
import { FORM } from './tokens-words.ts';

export interface ScopeFieldsProps {
  draft: TokenDraft;
  errors: DraftErrors;
  onChange: (patch: Partial<TokenDraft>) => void;
}

export function TaskFields({ draft, errors, onChange }: ScopeFieldsProps) {
  const { data, error, refetch } = useTokenTasks();
  if (error !== null && data === undefined)
    return <ErrorState error={error} isPlain onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={4} />;
  const task = data.items.find(({ id }) => id === draft.taskId);
  return (
    <div className="stack stack--16">
      <RadioCards
        label={FORM.task}
        value={task?.id}
        onChange={(taskId) => onChange({ taskId })}
        options={data.items.map(({ id, title, description }) => ({
          value: id,
          label: title,
          text: description,
        }))}
      />
      {errors.task !== undefined && <FieldError>{errors.task}</FieldError>}
      {task !== undefined && task.parameters.length > 0 && (
        <div className="tok__pars">
          {task.parameters.map((name) => (
            <Parameter
              key={name}
              name={name}
              task={task}
              values={draft.parameters}
              error={errors[`parameter:${name}`]}
              onChange={(value) => onChange({ parameters: { ...draft.parameters, [name]: value } })}
            />
          ))}
        </div>
      )}
      {task !== undefined && (
        <div>
          <Button
            size="sm"
            icon="code"
            onClick={() =>
              onChange({ scopeKind: 'policy', policy: policyText(fillPolicy(task, draft.parameters)) })
            }
          >
            {FORM.editPolicy}
          </Button>
        </div>
      )}
    </div>
  );
}

interface ParameterProps {
  name: string;
  task: TokenTask;
  values: Readonly<Record<string, string>>;
  error: string | undefined;
  onChange: (value: string) => void;
}

/** A list to choose from where all names are known, else a field with the known ones as suggestions. */
function Parameter({ name, task, values, error, onChange }: ParameterProps) {
  const listId = useId();
  const { names, isComplete, isLoading } = useNames(name, task, values);
  const value = values[name] ?? '';
  if (isLoading)
    return (
      <Field label={FORM.parameter(name)}>
        <SelectInput disabled value="" options={[{ value: '', label: FORM.namesLoading }]} />
      </Field>
    );
  const isKnown = value === '' || value === '*' || names.some((one) => one.value === value);
  if (isComplete && isKnown)
    return (
      <Field label={FORM.parameter(name)} error={error}>
        <SelectInput
          value={value}
          onValue={onChange}
          options={[{ value: '', label: FORM.choose }, { value: '*', label: FORM.all(name) }, ...names]}
        />
      </Field>
    );
  return (
    <Field label={FORM.parameter(name)} error={error} help={FORM.parameterHelp}>
      <TextInput
        isMono
        autoComplete="off"
        spellCheck={false}
        list={listId}
        value={value}
        onValue={(text) => onChange(text.trim())}
      />
      <datalist id={listId}>
        {names.map((one) => (
          <option key={one.value} value={one.value}>
            {one.label}
          </option>
        ))}
      </datalist>
    </Field>
  );
}

interface Names {
  names: { value: string; label: string }[];
  isComplete: boolean;
  /** It is not known yet whether they are complete. */
  isLoading?: boolean;
}

/** Of the things that a parameter names, those that the person may see. */
function useNames(name: string, { api }: TokenTask, values: Readonly<Record<string, string>>): Names {
  const isHost = api === 'host';
  const project = values['project'] ?? '';
  const hasProject = project !== '' && project !== '*';
  const projects = useProjectKeys(name === 'project');
  const environments = useEnvironmentKeys(project, name === 'environment' && hasProject);
  const repositories = useRepositoryNames(isHost && (name === 'owner' || name === 'repository'));
  const actors = useActorNames(name === 'actor');
  if ([projects, environments, actors].some((one) => one.isLoading))
    return { names: [], isComplete: false, isLoading: true };
  if (name === 'project') return fromFlags(projects.data);
  if (name === 'environment' && hasProject) return fromFlags(environments.data);
  if (name === 'actor') {
    const items = actors.data?.data.items;
    return {
      names: (items ?? []).map((one) => ({ value: one.id, label: `${one.username}/${one.name}` })),
      isComplete: items !== undefined,
    };
  }
  if (!isHost || repositories.data === undefined) return { names: [], isComplete: false };
  const owner = values['owner'] ?? '';
  const shown =
    name === 'owner'
      ? repositories.data.map((one) => one.owner.login)
      : repositories.data.filter((one) => owner === '*' || one.owner.login === owner).map((one) => one.name);
  return { names: [...new Set(shown)].map((one) => ({ value: one, label: one })), isComplete: false };
}

function fromFlags(list: { items: { key: string; name: string }[]; totalCount: number } | undefined): Names {
  if (list === undefined) return { names: [], isComplete: false };
  return {
    names: list.items.map(({ key, name }) => ({
      value: key,
      label: name === key ? key : `${name} (${key})`,
    })),
    isComplete: list.totalCount <= list.items.length,
  };
}
