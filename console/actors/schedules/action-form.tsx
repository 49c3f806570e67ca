// The input and the options with which a schedule starts something. Secret fields are kept and never shown.
import { useState, type ReactNode } from 'react';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/choice.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { words } from '../../ui/words.ts';
import type { ActorDetail } from '../actor/actor-queries.ts';
import { InputEditor } from '../input/input-editor.tsx';
import { firstValue, secretNames, type InputSchema } from '../input/input-schema.ts';
import { ownDraftOf, OwnOptionsFields, ownOptionsOf, ownOptionsProblem } from '../input/own-options.tsx';
import { isInputObject, type InputObject, type OpenInput } from '../input/secrets.ts';
import { useInputDraft } from '../input/use-input.ts';
import type { ScheduleAction } from './schedule-queries.ts';
import { SCHEDULE_WORDS } from './schedule-words.ts';

const WORDS = SCHEDULE_WORDS.actionDialog;

export interface ActionFormProps {
  title: string;
  width: number;
  /** The fields that choose what is started. */
  choice: ReactNode;
  action: ScheduleAction;
  schema: InputSchema | undefined;
  actor: ActorDetail | undefined;
  onDone: (action: ScheduleAction) => void;
  onClose: () => void;
}

export function ActionForm(props: ActionFormProps) {
  const { title, width, choice, action, schema, actor, onDone, onClose } = props;
  const isActor = action.type === 'RUN_ACTOR';
  const [given] = useState(() => inputOf(action));
  const [hasInput, setHasInput] = useState(given !== undefined);
  const [first] = useState(() => openOf(given ?? (isActor ? firstValue(schema) : {}), schema));
  const draft = useInputDraft(first, schema);
  const [options, setOptions] = useState(() => ownDraftOf(action.runOptions));
  const isOther = given === undefined && (action.runInput?.body ?? '') !== '';
  const reason = (hasInput ? draft.problem : undefined) ?? (isActor ? ownOptionsProblem(options) : undefined);
  const done = () => {
    const { runInput: before, runOptions: _options, input: _input, ...rest } = action;
    if (!isActor) return onDone({ ...rest, input: hasInput ? draft.body : null });
    const runInput = hasInput
      ? { body: JSON.stringify(draft.body), contentType: 'application/json; charset=utf-8' }
      : isOther
        ? (before ?? null)
        : null;
    return onDone({ ...rest, runInput, runOptions: { ...action.runOptions, ...ownOptionsOf(options) } });
  };
  return (
    <Dialog
      title={title}
      width={width}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button tone="primary" disabledReason={reason} onClick={done}>
            {WORDS.done}
          </Button>
        </>
      }
    >
      <div className="stack stack--16">
        {choice}
        {isOther && !hasInput && <Banner tone="neutral">{WORDS.otherInput}</Banner>}
        <Checkbox
          label={isActor ? WORDS.inputOfActor : WORDS.inputOfTask}
          help={isActor ? WORDS.inputOfActorHelp : WORDS.inputOfTaskHelp}
          isChecked={hasInput}
          onChange={setHasInput}
        />
        {hasInput && <InputEditor draft={draft} schema={schema} errors={NO_ERRORS} />}
        {isActor && (
          <section aria-label={WORDS.options}>
            <OwnOptionsFields value={options} defaults={actor?.defaultRunOptions} onChange={setOptions} />
          </section>
        )}
      </div>
    </Dialog>
  );
}

/** The API checks inputs when they are used: a build may have another schema by then. */
const NO_ERRORS = new Map<string, string>();

/** Undefined where it has none, or none that is a JSON object. */
function inputOf({ runInput, input }: ScheduleAction): InputObject | undefined {
  if (input !== undefined && input !== null) return input;
  const body = runInput?.body ?? '';
  if (body === '') return undefined;
  try {
    const value = JSON.parse(body) as unknown;
    return isInputObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The API gives back secrets of schedules as they were typed. They are sent again, and never drawn. */
function openOf(input: InputObject, schema: InputSchema | undefined): OpenInput {
  const secret = secretNames(schema);
  const entries = Object.entries(input);
  const isSecret = ([name]: [string, unknown]) => secret.includes(name);
  return {
    value: Object.fromEntries(entries.filter((entry) => !isSecret(entry))),
    secrets: Object.fromEntries(entries.filter(isSecret)) as Record<string, string>,
  };
}
