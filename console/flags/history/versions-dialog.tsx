// Two versions of a flag side by side, older before newer: whole, or what one environment has.
import { useState } from 'react';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { formatAbsolute } from '../../ui/format.ts';
import { SelectInput } from '../../ui/input.tsx';
import { JsonDiff } from '../../ui/json-diff.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { currentTime } from '../../lib/clock.ts';
import type { Flag } from '../flag.ts';
import { flagVersionOf, readableVersion, type FlagVersion } from './flag-version.ts';
import type { HistoryDetail } from './entry.ts';
import { useHistoryEntry } from './history-queries.ts';
import { HISTORY } from './history-words.ts';

const WORDS = HISTORY.versions;

interface VersionsDialogProps {
  ids: readonly [string, string];
  flag: Flag;
  onClose: () => void;
}

export function VersionsDialog({ ids, flag, onClose }: VersionsDialogProps) {
  const first = useHistoryEntry(ids[0]);
  const second = useHistoryEntry(ids[1]);
  const [part, setPart] = useState('');
  const error = first.error ?? second.error;
  const retry = () => {
    void first.refetch();
    void second.refetch();
  };
  const isRead = first.data !== undefined && second.data !== undefined;
  const [older, newer] = isRead ? byTime(first.data, second.data) : [];
  const [before, after] = [older, newer].map((entry) => flagVersionOf(entry?.currentVersion));
  return (
    <Dialog
      title={WORDS.title}
      text={
        before !== undefined &&
        after !== undefined &&
        WORDS.text(labelOf(before, older!), labelOf(after, newer!))
      }
      width={960}
      onClose={onClose}
    >
      {error !== null ? (
        <ReadProblem error={error} onRetry={retry} isPlain />
      ) : !isRead ? (
        <Skeleton lines={8} />
      ) : before === undefined || after === undefined ? (
        <p className="muted">{HISTORY.noVersion}</p>
      ) : (
        <div className="stack">
          <Field label={WORDS.parts}>
            <SelectInput
              value={part}
              onValue={setPart}
              options={[
                { value: '', label: WORDS.everything },
                ...Object.entries(flag.environments ?? {}).map(([key, { _environmentName }]) => ({
                  value: key,
                  label: _environmentName,
                })),
              ]}
            />
          </Field>
          <JsonDiff before={partOf(before, part)} after={partOf(after, part)} label={WORDS.label} />
        </div>
      )}
    </Dialog>
  );
}

function byTime(one: HistoryDetail, other: HistoryDetail): [HistoryDetail, HistoryDetail] {
  const [a, b] = [one, other].map(({ currentVersion }) => flagVersionOf(currentVersion)?._version ?? 0);
  return one.date < other.date || (one.date === other.date && a! <= b!) ? [one, other] : [other, one];
}

function labelOf({ _version }: FlagVersion, { date }: HistoryDetail): string {
  return WORDS.version(_version, formatAbsolute(date, currentTime(), undefined));
}

function partOf(version: FlagVersion, key: string): unknown {
  return readableVersion(key === '' ? version : (version.environments[key] ?? {}));
}
