// The switch of a flag in one environment: at once with an undo, or through the save dialog where the environment is guarded.
import { useState } from 'react';
import { keyOf, queries } from '../../api/read.ts';
import { Switch } from '../../ui/choice.tsx';
import type { Flag } from '../flag.ts';
import { flagRead, type Environment } from '../queries.ts';
import { isGuarded } from '../save/guard.ts';
import type { PlannedChange } from '../save/planned-change.ts';
import { useQuickChange } from '../save/quick-change.ts';
import { SaveDialog } from '../save/save-dialog.tsx';
import { FLAG_WORDS as WORDS } from './flag-words.ts';
import { useMayChange } from './may-change.ts';

export interface FlagSwitchProps {
  project: string;
  flag: Flag;
  environment: Environment;
}

export function FlagSwitch({ project, flag, environment }: FlagSwitchProps) {
  const [isAsking, setAsking] = useState(false);
  const quickChange = useQuickChange();
  const { switchReason } = useMayChange(project, flag, environment);
  const config = flag.environments?.[environment.key];
  if (config === undefined) return null;
  const { on } = config;
  const turn = (isOn: boolean) => [{ kind: isOn ? 'turnFlagOn' : 'turnFlagOff' }];
  const change: PlannedChange = {
    project,
    environment: environment.key,
    resource: { kind: 'flag', key: flag.key, name: flag.name },
    instructions: turn(!on),
    version: flag.version,
  };
  const words = on ? WORDS.turnedOff : WORDS.turnedOn;
  const toggle = () => {
    if (isGuarded(environment)) return setAsking(true);
    void quickChange(change, {
      optimistic: () => showOn(project, flag.key, environment.key, !on),
      done: words(flag.name, environment.key),
      undo: turn(on),
    });
  };
  return (
    <>
      <Switch
        size="lg"
        isOn={on}
        label={WORDS.switchOf(flag.name, environment.key)}
        reason={flag.archived ? WORDS.archivedSwitch : switchReason}
        onChange={toggle}
      />
      {isAsking && (
        <SaveDialog
          change={change}
          title={(on ? WORDS.turnOff : WORDS.turnOn)(flag.name, environment.key)}
          onClose={() => setAsking(false)}
          onSaved={() => setAsking(false)}
        />
      )}
    </>
  );
}

/** Gives what shows it as it was. */
function showOn(project: string, flag: string, environment: string, on: boolean): () => void {
  const queryKey = keyOf(flagRead(project, flag).call);
  const before = queries.getQueryData<Flag>(queryKey);
  const config = before?.environments?.[environment];
  if (before === undefined || config === undefined) return () => undefined;
  queries.setQueryData<Flag>(queryKey, {
    ...before,
    environments: { ...before.environments, [environment]: { ...config, on } },
  });
  return () => void queries.setQueryData<Flag>(queryKey, before);
}
