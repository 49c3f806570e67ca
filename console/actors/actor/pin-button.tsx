// Keeps an Actor on home, or takes it from there.
import { MOST_PINNED_ACTORS, usePinnedActors } from '../../app/pinned-actors.ts';
import { Button } from '../../ui/button.tsx';
import { ACTOR_WORDS } from './actor-words.ts';

export function PinButton({ actorId }: { actorId: string }) {
  const pinned = usePinnedActors();
  if (pinned === undefined) return null;
  const isPinned = pinned.ids.includes(actorId);
  const isFull = !isPinned && pinned.ids.length >= MOST_PINNED_ACTORS;
  return (
    <Button
      size="sm"
      icon="pin"
      aria-pressed={isPinned}
      disabledReason={isFull ? ACTOR_WORDS.mostPinned(String(MOST_PINNED_ACTORS)) : undefined}
      onClick={() => pinned.setPinned(actorId, !isPinned)}
    >
      {isPinned ? ACTOR_WORDS.pinned : ACTOR_WORDS.pin}
    </Button>
  );
}
