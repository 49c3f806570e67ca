// When a schedule fires: the cron expression with its sentence, the zone, and the next five times in both zones.
import '../../styles/schedules.css';
import { useId } from 'react';
import { useSettled } from '../../lib/settled.ts';
import { Field } from '../../ui/field.tsx';
import { SelectInput, TextInput } from '../../ui/input.tsx';
import { Badge } from '../../ui/status.tsx';
import { formatIn, useOwnZone } from './own-zone.ts';
import { useCronPreview, type CronTime } from './schedule-queries.ts';
import { SCHEDULE_WORDS } from './schedule-words.ts';

const WORDS = SCHEDULE_WORDS.cron;
const SHOWN = 5;
const TYPING_MS = 250;

export interface CronFieldsProps {
  expression: string;
  zone: string;
  onChange: (patch: { cronExpression?: string; timezone?: string }) => void;
}

export function CronFields({ expression, zone, onChange }: CronFieldsProps) {
  const list = useId();
  const asked = useSettled(JSON.stringify([expression.trim(), zone.trim()]), TYPING_MS);
  const [askedExpression, askedZone] = JSON.parse(asked) as [string, string];
  const { data, error } = useCronPreview(askedExpression, askedZone, SHOWN);
  // An error of the zone names the zone.
  const isOfZone = error !== null && /zone/i.test(error.message);
  const preset = WORDS.options.find(([value]) => value === expression)?.[0] ?? '';
  return (
    <div className="stack">
      <div className="cron-fields">
        <Field
          label={WORDS.expression}
          help={WORDS.help}
          error={error !== null && !isOfZone && askedExpression !== '' ? error.message : undefined}
        >
          <TextInput
            isMono
            maxLength={200}
            spellCheck={false}
            autoComplete="off"
            value={expression}
            onValue={(cronExpression) => onChange({ cronExpression })}
          />
        </Field>
        <Field label={WORDS.presets}>
          <SelectInput
            value={preset}
            onValue={(value) => value !== '' && onChange({ cronExpression: value })}
            options={[
              { value: '', label: WORDS.choose },
              ...WORDS.options.map(([value, label]) => ({ value, label })),
            ]}
          />
        </Field>
        <Field label={WORDS.zone} help={WORDS.zoneHelp} error={isOfZone ? error.message : undefined}>
          <TextInput
            maxLength={100}
            spellCheck={false}
            autoComplete="off"
            list={list}
            value={zone}
            onValue={(timezone) => onChange({ timezone })}
          />
        </Field>
        <datalist id={list}>
          {['UTC', ...Intl.supportedValuesOf('timeZone').filter((one) => one !== 'UTC')].map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </datalist>
      </div>
      <div role="status" className="w5">
        {data !== undefined && error === null && data.sentence}
      </div>
      {data !== undefined && error === null && <NextTimes times={data.times} zone={data.timezone} />}
    </div>
  );
}

function NextTimes({ times, zone }: { times: readonly CronTime[]; zone: string }) {
  const own = useOwnZone();
  if (times.length === 0) return <p className="muted t13">{WORDS.none}</p>;
  const isOther = own !== zone;
  return (
    <table className="next-times">
      <caption className="vh">{WORDS.next}</caption>
      <thead>
        <tr>
          <th scope="col">{WORDS.there(zone)}</th>
          {isOther && <th scope="col">{WORDS.here(own)}</th>}
        </tr>
      </thead>
      <tbody>
        {times.map((time) => (
          <tr key={time.at}>
            <td>
              <span className="nw">{formatIn(zone, time.at)}</span>{' '}
              <span className="muted t12 nw">{time.utcOffset}</span> <ClockMarks time={time} />
            </td>
            {isOther && <td>{formatIn(own, time.at)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function ClockMarks({ time: { clocks, note } }: { time: CronTime }) {
  return (
    <>
      {clocks !== undefined && (
        <Badge tone="warn" icon="clock">
          {WORDS.clocks[clocks]}
        </Badge>
      )}{' '}
      {note !== undefined && <Badge tone="warn">{WORDS.notes[note]}</Badge>}
    </>
  );
}
