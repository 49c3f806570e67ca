// What somebody is about to change in one environment: kept in this browser, together with the state that it began from.
import { useCallback, useEffect, useMemo, useRef } from 'react';
import { useDraft } from '../../app/drafts.ts';
import type { Instruction } from '../save/instruction.ts';
import type { Rule, Targeting } from './targeting.ts';
import { moveVariations } from './move-variations.ts';
import { toInstructions } from './to-instructions.ts';

interface Kept {
  base: Targeting | null;
  after: Targeting | null;
  /** Of the flag, when the draft was begun. */
  version: number;
  /** Of the variations then. */
  ids: readonly string[];
}

export type EditTargeting = (change: (present: Targeting) => Targeting) => void;

export interface TargetingDraft {
  /** What it is compared with. */
  base: Targeting;
  after: Targeting;
  version: number;
  instructions: readonly Instruction[];
  hasChanges: boolean;
  /** It served a variation that is gone: nothing of it can be shown. */
  isLost: boolean;
  edit: EditTargeting;
  /** Gives what brings it back. */
  discard: () => () => void;
}

const NONE: Kept = { base: null, after: null, version: 0, ids: [] };

/** With a `key` of the flag and the environment: another one is another draft. */
export function useTargetingDraft(
  key: string,
  saved: Targeting,
  version: number,
  ids: readonly string[],
): TargetingDraft {
  const { value: kept, change, forget } = useDraft<Kept>(key, NONE);
  const own = useMemo(() => readKept(kept, ids), [kept, ids]);
  const keptBase = own?.base ?? saved;
  const keptAfter = own?.after ?? saved;
  const instructions = useMemo(
    () => (keptAfter === keptBase ? [] : toInstructions(keptBase, keptAfter, ids)),
    [keptBase, keptAfter, ids],
  );
  const hasChanges = instructions.length > 0;
  // What changes nothing yet, such as an empty list, stays until somebody else saves something.
  const isKept = hasChanges || (own !== undefined && kept.version === version);
  const present = useMemo<{ base: Targeting; after: Targeting; version: number }>(
    () =>
      isKept
        ? { base: keptBase, after: keptAfter, version: kept.version }
        : { base: saved, after: saved, version },
    [isKept, keptBase, keptAfter, kept.version, saved, version],
  );
  const latest = useRef(present);
  const latestIds = useRef(ids);
  useEffect(() => {
    latest.current = present;
    latestIds.current = ids;
  }, [present, ids]);
  const edit = useCallback<EditTargeting>(
    (patch) => {
      const next = { ...latest.current, after: patch(latest.current.after) };
      latest.current = next;
      change({ ...next, ids: latestIds.current });
    },
    // Each render has another function that does the same.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
    [],
  );
  const discard = () => {
    const given = latest.current;
    forget();
    return () => change({ ...given, ids });
  };
  const isLost = kept.after !== null && own === undefined;
  return { ...present, instructions, hasChanges, isLost, edit, discard };
}

function readKept({ base, after, ids: then }: Kept, now: readonly string[]) {
  if (base === null || after === null) return undefined;
  const [movedBase, movedAfter] = [base, after].map((one) => moveVariations(one, then, now));
  if (movedBase === undefined || movedAfter === undefined) return undefined;
  return { base: movedBase, after: shareRules(movedBase, movedAfter) };
}

/** Rules that were not changed are the same objects, also after a reload: then they need no comparison. */
function shareRules(base: Targeting, after: Targeting): Targeting {
  const known = new Map(base.rules.map((rule) => [rule._id, rule]));
  const isShared = (rule: Rule) => {
    const old = known.get(rule._id);
    return old !== undefined && old !== rule && JSON.stringify(old) === JSON.stringify(rule);
  };
  if (!after.rules.some(isShared)) return after;
  return { ...after, rules: after.rules.map((rule) => (isShared(rule) ? known.get(rule._id)! : rule)) };
}
