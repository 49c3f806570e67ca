// Whether SDKs send an event for each evaluation, in one environment.
import { useState } from 'react';
import { Card } from '../../ui/card.tsx';
import { Switch } from '../../ui/choice.tsx';
import { useFlagPermissions } from '../permissions.ts';
import type { Environment } from '../queries.ts';
import type { Instruction } from '../save/instruction.ts';
import { FLAG_WORDS } from '../flag/flag-words.ts';
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
  const { isKnown, may, resourceOf } = useFlagPermissions(project, flag.key, environment.key);
  const config = flag.environments?.[environment.key];
  const rows = [
    {
      kind: 'updateTrackEvents',
      action: 'updateTrackEvents',
      label: WORDS.all,
      isOn: config?.trackEvents === true,
    },
    {
      kind: 'updateTrackEventsFallthrough',
      action: 'updateFlagFallthroughTrackEvents',
      label: WORDS.fallthrough,
      isOn: config?.trackEventsFallthrough === true,
    },
  ] as const;
  return (
    <Card title={WORDS.title(environment.key)} icon="gauge">
      <p className="t13 muted">{WORDS.text}</p>
      <ul className="set-rows">
        {rows.map(({ kind, action, label, isOn }) => (
          <li key={kind}>
            <span className="grow t13">{label}</span>
            <Switch
              isOn={isOn}
              label={WORDS.switchOf(label, environment.key)}
              reason={
                flag.archived
                  ? SETTINGS_WORDS.archived
                  : isKnown && !may(action, 'createApprovalRequest')
                    ? FLAG_WORDS.needs(action, resourceOf(action))
                    : undefined
              }
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
