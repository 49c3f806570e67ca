// How the console looks and listens: saved with each choice, for every browser of the person.
import { useMemo } from 'react';
import { CLIENT_NAMES } from '../../api/snippets.ts';
import { savePreferences, usePreferences } from '../../app/me.ts';
import { chooseTheme } from '../../app/theme.ts';
import { Card } from '../../ui/card.tsx';
import { Switch } from '../../ui/choice.tsx';
import { Field } from '../../ui/field.tsx';
import { formatAbsolute } from '../../ui/format.ts';
import { SelectInput } from '../../ui/input.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { useMinute } from '../../lib/clock.ts';
import { LOOK } from './settings-words.ts';

const THEMES = [
  { value: 'system', label: LOOK.themes.system, icon: 'screen' },
  { value: 'light', label: LOOK.themes.light, icon: 'sun' },
  { value: 'dark', label: LOOK.themes.dark, icon: 'moon' },
] as const;

export function LookCard() {
  const { theme = 'system', timeZone, hasKeys = true, client = 'curl' } = usePreferences();
  const now = useMinute();
  const zones = useMemo(() => zoneOptions(), []);
  return (
    <Card title={LOOK.title} icon="sliders">
      <div className="stack stack--16">
        <div className="fld">
          <span className="fld__l">{LOOK.theme}</span>
          <div>
            <Segmented label={LOOK.theme} value={theme} options={[...THEMES]} onChange={chooseTheme} />
          </div>
        </div>
        <Field label={LOOK.timeZone} help={LOOK.timeZoneHelp(formatAbsolute(now, now, timeZone))}>
          <SelectInput
            value={timeZone ?? ''}
            onValue={(zone) => savePreferences({ timeZone: zone === '' ? null : zone })}
            options={zones}
          />
        </Field>
        <div className="fld">
          <span className="fld__l">{LOOK.keys}</span>
          <div>
            <Switch
              label={LOOK.keys}
              isOn={hasKeys}
              onChange={(isOn) => savePreferences({ hasKeys: isOn })}
            />
          </div>
          <p className="help">{LOOK.keysHelp}</p>
        </div>
        <Field label={LOOK.client} help={LOOK.clientHelp}>
          <SelectInput
            value={client}
            onValue={(one) => savePreferences({ client: one })}
            options={Object.entries(CLIENT_NAMES).map(([value, label]) => ({ value, label }))}
          />
        </Field>
      </div>
    </Card>
  );
}

function zoneOptions(): { value: string; label: string }[] {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const named = Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC');
  return [
    { value: '', label: LOOK.ownZone(own) },
    ...['UTC', ...named].map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') })),
  ];
}
