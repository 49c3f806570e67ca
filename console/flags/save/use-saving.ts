// Sends a change, on top of what others changed meanwhile where the parts differ.
import { useState } from 'react';
import type { Call } from '../../api/call.ts';
import { toast } from '../../ui/toasts.tsx';
import { findConflict, isConflict, type Conflict } from './conflict.ts';
import { patchCall, type PatchOptions, type PlannedChange } from './planned-change.ts';
import { sendChange, type Preview } from './save-queries.ts';
import { SAVE_WORDS as WORDS } from './save-words.ts';

export interface SavingOptions {
  onDone: () => void;
  openHistory: () => void;
  openApproval: (id: string) => void;
}

/** Changes are many where the flag is: more rounds than these are a race that nobody wins. */
const MAX_ROUNDS = 4;

export function useSaving(
  { resource: { name, kind }, environment }: PlannedChange,
  seen: Preview | undefined,
  { onDone, openHistory, openApproval }: SavingOptions,
) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  const [conflict, setConflict] = useState<Conflict>();
  const run = async (work: () => Promise<void>) => {
    setBusy(true);
    setError(undefined);
    try {
      await work();
    } catch (failure) {
      setError(failure as Error);
    } finally {
      setBusy(false);
    }
  };
  return {
    isBusy,
    error,
    conflict,
    save: (change: PlannedChange, options: PatchOptions) =>
      run(async () => {
        const contested = await saveOnTop(change, options, seen, (isOnTop) => {
          toast({
            text: isOnTop ? WORDS.savedOnTop(name) : WORDS.saved(name, environment),
            ...(kind === 'flag' && { action: { label: WORDS.history, run: openHistory } }),
          });
          onDone();
        });
        if (contested !== undefined) setConflict(contested);
      }),
    send: (call: Call, when: 'schedule' | 'approval') =>
      run(async () => {
        const { _id } = await sendChange<{ _id: string }>(call);
        if (when === 'schedule') toast({ text: WORDS.scheduled(name) });
        else
          toast({
            text: WORDS.requested(name),
            action: { label: WORDS.open, run: () => openApproval(_id) },
          });
        onDone();
      }),
  };
}

/** The conflict that somebody has to decide; undefined where it was saved. */
async function saveOnTop(
  first: PlannedChange,
  options: PatchOptions,
  seen: Preview | undefined,
  onSaved: (isOnTop: boolean) => void,
): Promise<Conflict | undefined> {
  let change = first;
  for (let round = 0; ; round++) {
    try {
      await sendChange(patchCall(change, options));
      onSaved(change !== first);
      return undefined;
    } catch (error) {
      if (!isConflict(error) || round === MAX_ROUNDS) throw error;
      const conflict = await findConflict(change, seen);
      if (conflict.contests.length > 0) return conflict;
      ({ change } = conflict);
    }
  }
}
