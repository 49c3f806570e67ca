// The switches of the list: at once where a click can be taken back, else after the difference was shown.
import { useCallback, useState } from 'react';
import type { Flag } from '../flag.ts';
import type { Environment } from '../queries.ts';
import { isGuarded } from '../save/guard.ts';
import type { PlannedChange } from '../save/planned-change.ts';
import { useQuickChange } from '../save/quick-change.ts';
import type { Toggle } from './flag-cells.tsx';
import type { FlagPages } from './flag-pages.ts';
import { LIST_WORDS as WORDS } from './list-words.ts';

export interface Review {
  change: PlannedChange;
  title: string;
}

const turn = (isOn: boolean) => [{ kind: isOn ? 'turnFlagOn' : 'turnFlagOff' }];

export function useToggle(project: string, { patchRow, refreshRow, pending }: FlagPages) {
  const [review, setReview] = useState<Review>();
  const quickly = useQuickChange();
  const toggle = useCallback<Toggle>(
    (flag, environment, isOn, isReviewed) => {
      const { key, name, version } = flag;
      const change: PlannedChange = {
        project,
        environment: environment.key,
        resource: { kind: 'flag', key, name },
        instructions: turn(isOn),
        version,
      };
      if (isReviewed || isGuarded(environment)) {
        const title = (isOn ? WORDS.turnOn : WORDS.turnOff)(name, environment.key);
        return setReview({ change, title });
      }
      const show = (state: boolean) => patchRow(key, (present) => switched(present, environment, state));
      pending.current.add(key);
      void quickly(change, {
        optimistic: () => {
          show(isOn);
          return () => show(!isOn);
        },
        done: (isOn ? WORDS.turnedOn : WORDS.turnedOff)(name, environment.key),
        undo: turn(!isOn),
      }).finally(() => {
        pending.current.delete(key);
        void refreshRow(key);
      });
    },
    [project, patchRow, refreshRow, pending, quickly],
  );
  return { toggle, review, closeReview: () => setReview(undefined) };
}

function switched(flag: Flag, { key }: Environment, isOn: boolean): Flag {
  const config = flag.environments?.[key];
  if (config === undefined) return flag;
  return { ...flag, environments: { ...flag.environments, [key]: { ...config, on: isOn } } };
}
