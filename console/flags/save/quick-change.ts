// A change that one click makes and one click takes back: shown at once, rolled back with the reason where it fails.
import { useCallback } from 'react';
import { toast } from '../../ui/toasts.tsx';
import { isConflict } from './conflict.ts';
import type { Instruction } from './instruction.ts';
import { patchCall, type PlannedChange } from './planned-change.ts';
import { readPreview, sendChange } from './save-queries.ts';
import { SAVE_WORDS as WORDS } from './save-words.ts';

export interface QuickChangeOptions {
  /** Shows it as made, and gives what takes that back. */
  optimistic: () => () => void;
  /** What was done, for the toast. */
  done: string;
  undo: readonly Instruction[];
}

/** Not for guarded environments: there `SaveDialog` asks first. */
export function useQuickChange() {
  return useCallback(async (change: PlannedChange, { optimistic, done, undo }: QuickChangeOptions) => {
    const rollBack = optimistic();
    try {
      const { version } = await sendOnTop(change);
      const takeBack = { ...change, instructions: undo, version };
      toast({
        text: done,
        ...(undo.length > 0 && { action: { label: WORDS.undo, run: () => void undoChange(takeBack) } }),
      });
    } catch (error) {
      rollBack();
      toast({ text: WORDS.failed((error as Error).message), tone: 'bad' });
    }
  }, []);
}

async function undoChange(change: PlannedChange): Promise<void> {
  try {
    await sendOnTop(change);
    toast({ text: WORDS.undone });
  } catch (error) {
    toast({ text: WORDS.failed((error as Error).message), tone: 'bad' });
  }
}

/** Where somebody changed something else meanwhile, it is made on top of that; a change that is there already is none. */
async function sendOnTop(change: PlannedChange): Promise<{ version: number }> {
  try {
    return await sendChange<{ version: number }>({ ...patchCall(change), outlivesPage: true });
  } catch (error) {
    if (!isConflict(error)) throw error;
    const { version, sentences } = await readPreview(change);
    if (sentences.length === 0) return { version };
    return await sendChange<{ version: number }>(patchCall({ ...change, version }));
  }
}
