// Sends a change, on top of what others changed meanwhile where the parts differ.
import { useRef, useState } from 'react';
import type { Call } from '../../api/call.ts';
import type { ChangePreview } from '../../api/types/signalbox.ts';
import { toast } from '../../ui/toasts.tsx';
import { findConflict, isConflict, type Conflict } from './conflict.ts';
import { patchCall, type PatchOptions, type PlannedChange } from './planned-change.ts';
import { sendChange } from './save-queries.ts';
import { SAVE_WORDS as WORDS } from './save-words.ts';

export interface SavingOptions {
  onDone: () => void;
  openHistory: () => void;
  openApproval: (id: string) => void;
}

export interface Saving {
  isBusy: boolean;
  error: Error | undefined;
  /** That somebody has to decide. */
  conflict: Conflict | undefined;
  /** It came up while saving: everything that the environment asks for was given. */
  isConfirmed: boolean;
  /** `forget` drops what was typed, once it is saved. */
  save: (change: PlannedChange, options: PatchOptions, forget: () => void) => void;
  send: (call: Call, when: 'schedule' | 'approval', forget: () => void) => void;
  /** Looks whether others changed what the change builds on. */
  findWhy: () => void;
  /** With what was decided: saved where it was about to be, else shown again. */
  goOn: (merged: PlannedChange) => void;
}

/** Where many change the same at once, more rounds than these are a race. */
const MAX_ROUNDS = 4;

export function useSaving(
  planned: PlannedChange,
  seen: ChangePreview | undefined,
  { onDone, openHistory, openApproval }: SavingOptions,
): Saving {
  const { resource, environment, version } = planned;
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  const [conflict, setConflict] = useState<Conflict>();
  const [isConfirmed, setConfirmed] = useState(false);
  const attempt = useRef<{ options: PatchOptions; forget: () => void }>(undefined);
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
  const save: Saving['save'] = (change, options, forget) => {
    attempt.current = { options, forget };
    setConfirmed(true);
    void run(async () => {
      const contested = await saveOnTop(change, options, seen, (isOnTop) => {
        toast({
          text: isOnTop ? WORDS.savedOnTop(resource.name) : WORDS.saved(resource.name, environment),
          ...(resource.kind === 'flag' && { action: { label: WORDS.history, run: openHistory } }),
        });
        forget();
        onDone();
      });
      if (contested !== undefined) setConflict(contested);
    });
  };
  return {
    isBusy,
    error,
    conflict,
    isConfirmed,
    save,
    send: (call, when, forget) =>
      void run(async () => {
        const { _id } = await sendChange<{ _id: string }>(call);
        if (when === 'schedule') toast({ text: WORDS.scheduled(resource.name) });
        else
          toast({
            text: WORDS.requested(resource.name),
            action: { label: WORDS.open, run: () => openApproval(_id) },
          });
        forget();
        onDone();
      }),
    findWhy: () =>
      void run(async () => {
        const found = await findConflict(planned, seen);
        if (found.change.version !== version && found.contests.length > 0) setConflict(found);
      }),
    goOn: (merged) => {
      if (attempt.current === undefined) return setConflict(undefined);
      const { options, forget } = attempt.current;
      save(merged, { ...options, ignoreConflicts: true }, forget);
    },
  };
}

/** The conflict that somebody has to decide; undefined where it was saved. */
async function saveOnTop(
  first: PlannedChange,
  options: PatchOptions,
  seen: ChangePreview | undefined,
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
