// The flag as it was at a moment: a slider over its changes, a field for any time, and the targeting of one environment then.
import { useContext, useState } from 'react';
import { currentTime } from '../../lib/clock.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import type { SearchState } from '../../lib/search-state.ts';
import { useSettled } from '../../lib/settled.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Field } from '../../ui/field.tsx';
import { formatAbsolute } from '../../ui/format.ts';
import { TextInput } from '../../ui/input.tsx';
import { JsonDiff } from '../../ui/json-diff.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Time, TimeZoneContext } from '../../ui/time.tsx';
import type { Flag } from '../flag.ts';
import { useCurrentEnvironment } from '../flag/current-environment.ts';
import type { HistoryEntry } from './entry.ts';
import { isFlagChange, readableVersion } from './flag-version.ts';
import { useFlagAt } from './history-queries.ts';
import { HISTORY } from './history-words.ts';
import { PastTargeting } from './past-targeting.tsx';
import { RevertButton } from './revert-button.tsx';

const WORDS = HISTORY.moment;
/** While it is moved, versions in between are not read. */
const MOVING_MS = 120;

interface TimeSliderProps {
  project: string;
  flag: Flag;
  state: SearchState;
  /** All that were read, newest first. */
  entries: readonly HistoryEntry[];
}

export function TimeSlider({ project, flag, state, entries }: TimeSliderProps) {
  const at = Number(state.get('at')) || undefined;
  const changes = entries.filter(isFlagChange).toReversed();
  const last = changes.at(-1);
  if (at === undefined)
    return (
      last !== undefined && (
        <div>
          <Button size="sm" icon="history" onClick={() => state.set({ at: String(last.date) })}>
            {WORDS.open}
          </Button>
        </div>
      )
    );
  return <Moment project={project} flag={flag} state={state} changes={changes} at={at} />;
}

interface MomentProps extends Omit<TimeSliderProps, 'entries'> {
  /** Oldest first. */
  changes: readonly HistoryEntry[];
  at: number;
}

function Moment({ project, flag, state, changes, at }: MomentProps) {
  const zone = useContext(TimeZoneContext);
  const [now] = useState(currentTime);
  const { current } = useCurrentEnvironment(project);
  const settled = useSettled(at, MOVING_MS);
  const { data, error, refetch, isPending } = useFlagAt(project, flag.key, settled);
  const index = changes.findLastIndex(({ date }) => date <= at);
  const goTo = (next: number) => state.set({ at: String(changes[next]?.date ?? at) });
  const config = current && data?.version.environments[current.key];
  return (
    <Card
      title={current === undefined ? WORDS.title : WORDS.titleIn(current.key)}
      icon="history"
      actions={
        <Button
          tone="ghost"
          size="sm"
          icon="x"
          label={WORDS.close}
          onClick={() => state.set({ at: undefined })}
        />
      }
    >
      <div className="stack stack--16">
        <div className="row row--wrap moment">
          <Button
            size="sm"
            icon="left"
            label={WORDS.earlier}
            disabledReason={index <= 0 ? WORDS.first : undefined}
            onClick={() => goTo(index - 1)}
          />
          <input
            type="range"
            className="moment__slider"
            aria-label={WORDS.slider}
            aria-valuetext={formatAbsolute(at, now, zone)}
            min={0}
            max={Math.max(changes.length - 1, 0)}
            value={Math.max(index, 0)}
            onInput={(event) => goTo(Number(event.currentTarget.value))}
          />
          <Button
            size="sm"
            icon="right"
            label={WORDS.later}
            disabledReason={index >= changes.length - 1 ? WORDS.newest : undefined}
            onClick={() => goTo(index + 1)}
          />
          <Field label={WORDS.at}>
            <TextInput
              type="datetime-local"
              step={1}
              controlSize="sm"
              value={localText(at)}
              onValue={(text) => {
                const time = new Date(text).getTime();
                if (!Number.isNaN(time)) state.set({ at: String(time) });
              }}
            />
          </Field>
        </div>
        {error !== null ? (
          <ReadProblem error={error} onRetry={() => void refetch()} isPlain />
        ) : isPending ? (
          <Skeleton lines={4} />
        ) : data === null || config === undefined ? (
          <p className="muted t13">{WORDS.absent}</p>
        ) : (
          <>
            <p className="t13 muted">
              {WORDS.since(data.version._version)} <Time at={data.entry.date} mode="absolute" />
            </p>
            <PastTargeting version={data.version} config={config} />
            <details className="moment__more">
              <summary className="t13 muted">{WORDS.difference}</summary>
              <JsonDiff
                before={readableVersion(config)}
                after={readableVersion(flag.environments?.[current!.key] ?? {})}
                label={WORDS.difference}
              />
            </details>
            <RevertButton
              project={project}
              flag={flag}
              earlier={data.version}
              later={data.version}
              environment={current!.key}
              laterCount={0}
            />
          </>
        )}
      </div>
    </Card>
  );
}

/** As a field of the browser for times has it. */
function localText(at: number): string {
  const offset = new Date(at).getTimezoneOffset() * 60_000;
  return new Date(at - offset).toISOString().slice(0, 19);
}
