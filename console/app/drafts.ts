// What somebody has typed and not saved: kept in this browser until it is saved or given up, over reloads, logins and releases.
// Secrets are never put here.
import { useRef, useState } from 'react';

const PREFIX = 'signalbox_draft:';
/** Older ones are of no use to anybody. */
const KEPT_MS = 30 * 86_400_000;

interface Kept<Value> {
  at: number;
  value: Value;
}

/** `key` names the form and what it is about. What was kept fills in the fields that the form still has. */
export function useDraft<Value extends object>(key: string, initial: Value) {
  const [value, setValue] = useState<Value>(() => ({ ...initial, ...pick(readDraft<Value>(key), initial) }));
  const present = useRef(value);
  const set = (next: Value) => {
    present.current = next;
    setValue(next);
  };
  return {
    value,
    /** Kept at once: a page that is left with the last letter still has it. */
    change(patch: Partial<Value>) {
      set({ ...present.current, ...patch });
      write(key, present.current);
    },
    /** After it was saved or given up. */
    forget() {
      localStorage.removeItem(PREFIX + key);
      set(initial);
    },
  };
}

function pick<Value extends object>(kept: Partial<Value>, initial: Value): Partial<Value> {
  return Object.fromEntries(
    Object.entries(kept).filter(
      ([name, one]) => name in initial && typeof one === typeof initial[name as keyof Value],
    ),
  ) as Partial<Value>;
}

function readDraft<Value>(key: string): Partial<Value> {
  try {
    const kept = JSON.parse(localStorage.getItem(PREFIX + key) ?? 'null') as Kept<Partial<Value>> | null;
    return kept !== null && Date.now() - kept.at < KEPT_MS ? kept.value : {};
  } catch {
    return {};
  }
}

function write(key: string, value: unknown): void {
  try {
    localStorage.setItem(PREFIX + key, JSON.stringify({ at: Date.now(), value }));
  } catch {
    // The storage is full: the form still works.
  }
}
