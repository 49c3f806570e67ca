// The Actors that somebody has pinned to home.
import { savePreferences, useKnownPreferences } from './me.ts';

/** As many as the server keeps. */
export const MOST_PINNED_ACTORS = 8;

export interface PinnedActors {
  ids: readonly string[];
  setPinned: (id: string, isPinned: boolean) => void;
}

/** Undefined while they are read. */
export function usePinnedActors(): PinnedActors | undefined {
  const preferences = useKnownPreferences();
  return preferences && { ids: preferences.pinnedActors ?? NONE, setPinned };
}

const NONE: readonly string[] = [];

function setPinned(id: string, isPinned: boolean): void {
  savePreferences(({ pinnedActors = [] }) => {
    const others = pinnedActors.filter((one) => one !== id);
    return { pinnedActors: isPinned ? [...others, id] : others };
  });
}
