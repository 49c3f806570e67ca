// Whether differences are shown unified or split: in the address, and otherwise as it was chosen last in this browser.
import { useSearchParams } from 'wouter';
import type { DiffMode } from './diff-file.ts';

const STORAGE_KEY = 'signalbox_diff';

export function useDiffMode(): [DiffMode, (mode: DiffMode) => void] {
  const [params, setParams] = useSearchParams();
  const named = params.get('view');
  const mode: DiffMode = (named ?? remembered()) === 'split' ? 'split' : 'unified';
  const choose = (next: DiffMode) => {
    remember(next);
    setParams(
      (present) => {
        const changed = new URLSearchParams(present);
        changed.set('view', next);
        return changed;
      },
      { replace: true },
    );
  };
  return [mode, choose];
}

function remembered(): string | null {
  try {
    return localStorage.getItem(STORAGE_KEY);
  } catch {
    return null;
  }
}

function remember(mode: DiffMode): void {
  try {
    localStorage.setItem(STORAGE_KEY, mode);
  } catch {
    // Then the address alone says it.
  }
}
