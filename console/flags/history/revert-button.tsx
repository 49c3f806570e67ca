// Goes back to what a flag was before a change, through the dialog that saves every change.
import { useState } from 'react';
import { send } from '../../api/client.ts';
import { ApiError } from '../../api/error.ts';
import { useRead } from '../../api/read.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import type { Flag } from '../flag.ts';
import { DETAIL_ACTIONS, TARGETING_ACTIONS, useFlagPermissions, VARIATION_ACTIONS } from '../permissions.ts';
import { flagRead } from '../queries.ts';
import type { PlannedChange } from '../save/planned-change.ts';
import { SaveDialog } from '../save/save-dialog.tsx';
import type { FlagVersion } from './flag-version.ts';
import { HISTORY } from './history-words.ts';
import { neededFlags, restoreIn, restoreWhole, type VariationIds } from './restore.ts';

const WORDS = HISTORY.revert;

const PLACE_ACTIONS = [
  'updateOn',
  ...TARGETING_ACTIONS,
  'updateTrackEvents',
  'updateFlagFallthroughTrackEvents',
  'createApprovalRequest',
] as const;

const WHOLE_ACTIONS = [
  ...DETAIL_ACTIONS,
  ...VARIATION_ACTIONS,
  'updateFlagCustomProperties',
  'updateGlobalArchived',
  'updateDeprecated',
] as const;

interface RevertButtonProps {
  project: string;
  flag: Flag;
  earlier: FlagVersion;
  /** What the change made of it. */
  later: FlagVersion;
  /** Its key; undefined for the flag as a whole. */
  environment: string | undefined;
  laterCount: number;
}

/** Where it cannot be done, the reason stands in place of the button; who may not do it sees neither. */
export function RevertButton(props: RevertButtonProps) {
  const { project, flag, earlier, later, environment, laterCount } = props;
  const { may } = useFlagPermissions(project, flag.key, environment);
  const { data: present } = useRead<FlagVersion>(flagRead(project, flag.key));
  const [change, setChange] = useState<PlannedChange>();
  const [error, setError] = useState<string>();
  const mayRevert = may(...(environment === undefined ? WHOLE_ACTIONS : PLACE_ACTIONS));
  if (present === undefined || !mayRevert) return null;
  const planWith = (others?: VariationIds) =>
    environment === undefined
      ? restoreWhole(present, { earlier, later })
      : restoreIn(present, earlier, environment, others);
  const plan = planWith();
  const open = async () => {
    try {
      const keys = environment === undefined ? [] : neededFlags(present, earlier, environment);
      const { instructions } = planWith(await readVariationIds(project, keys));
      setError(undefined);
      setChange({
        project,
        ...(environment !== undefined && { environment }),
        resource: { kind: 'flag', key: flag.key, name: flag.name },
        instructions,
        version: present._version,
      });
    } catch (problem) {
      if (!(problem instanceof ApiError)) throw problem;
      setError(problem.message);
    }
  };
  return (
    <div className="stack stack--4">
      {plan.reason === undefined ? (
        <div>
          <Button size="sm" icon="redo" onClick={() => void open()}>
            {environment === undefined ? WORDS.whole : WORDS.button(environment)}
          </Button>
        </div>
      ) : (
        <p className="t12 muted">{plan.reason}</p>
      )}
      {plan.reason === undefined && laterCount > 0 && (
        <p className="t12 muted">
          {environment === undefined ? WORDS.laterWhole(laterCount) : WORDS.later(laterCount)}
        </p>
      )}
      {plan.missing !== undefined && plan.missing !== plan.reason && (
        <p className="t12 muted">{plan.missing}</p>
      )}
      {error !== undefined && <Banner tone="bad">{error}</Banner>}
      {change !== undefined && (
        <SaveDialog
          title={environment === undefined ? WORDS.titleWhole : WORDS.title(environment)}
          change={change}
          onClose={() => setChange(undefined)}
          onSaved={() => setChange(undefined)}
        />
      )}
    </div>
  );
}

async function readVariationIds(project: string, keys: readonly string[]): Promise<VariationIds> {
  const found = await Promise.all(
    keys.map(async (key) => {
      const { body } = await send<Flag>(flagRead(project, key).call);
      return [key, body.variations.map(({ _id }) => _id)] as const;
    }),
  );
  return new Map(found);
}
