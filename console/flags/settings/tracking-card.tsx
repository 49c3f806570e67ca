// Whether SDKs send an event for each evaluation, in one environment.
import { useState } from 'react';
import { Card } from '../../ui/card.tsx';
import { Switch } from '../../ui/choice.tsx';
import type { Environment } from '../queries.ts';
import type { Instruction } from '../save/instruction.ts';
import { SaveDialog } from '../save/save-dialog.tsx';
import type { FlagDetail } from './flag-detail.ts';
import { SETTINGS_WORDS, TRACK_WORDS as WORDS } from './settings-words.ts';

export interface EnvironmentCardProps {
  project: string;
  flag: FlagDetail;
  environment: Environment;
}

export function TrackingCard({ project, flag, environment }: EnvironmentCardProps) {
  const [instruction, setInstruction] = useState<Instruction>();
  const config = flag.environments?.[environment.key];
  const rows = [
    { kind: 'updateTrackEvents', label: WORDS.all, isOn: config?.trackEvents === true },
    {
      kind: 'updateTrackEventsFallthrough',
      label: WORDS.fallthrough,
      isOn: config?.trackEventsFallthrough === true,
    },
  ];
  return (
    <Card title={WORDS.title(environment.key)} icon="gauge">
      <p className="t13 muted">{WORDS.text}</p>
      <ul className="set-rows">
        {rows.map(({ kind, label, isOn }) => (
          <li key={kind}>
            <span className="grow t13">{label}</span>
            <Switch
              isOn={isOn}
              label={WORDS.switchOf(label, environment.key)}
              reason={flag.archived ? SETTINGS_WORDS.archived : undefined}
              onChange={(trackEvents) => setInstruction({ kind, trackEvents })}
            />
          </li>
        ))}
      </ul>
      {instruction !== undefined && (
        <SaveDialog
          title={WORDS.saveTitle(environment.name)}
          change={{
            project,
            environment: environment.key,
            resource: { kind: 'flag', key: flag.key, name: flag.name },
            instructions: [instruction],
            version: flag.version,
          }}
          onClose={() => setInstruction(undefined)}
          onSaved={() => setInstruction(undefined)}
        />
      )}
    </Card>
  );
}
