// Turns a webhook or an integration on or off.
import { useChange } from '../../api/read.ts';
import type { FlagWebhook } from '../../api/types/signalbox.ts';
import { Switch } from '../../ui/choice.tsx';
import { toast } from '../../ui/toast-store.ts';
import { CHANGED, hookPatch } from './webhooks-queries.ts';
import { HOOKS } from './webhooks-words.ts';

export interface HookSwitchProps {
  hook: FlagWebhook;
  /** Whether the reader may; undefined while it is not known. */
  may: boolean | undefined;
}

export function HookSwitch({ hook, may }: HookSwitchProps) {
  const change = useChange<boolean>(
    (isOn) => hookPatch(hook, [{ op: 'replace', path: '/on', value: isOn }]),
    CHANGED,
  );
  const isOn = change.isPending ? change.variables : hook.isOn;
  return (
    <Switch
      isOn={isOn}
      label={HOOKS.switchOf(hook.name === '' ? HOOKS.unnamed : hook.name)}
      reason={may === false ? HOOKS.mayNot('updateOn') : undefined}
      onChange={(next) =>
        change.mutate(next, { onError: ({ message }) => toast({ text: message, tone: 'bad' }) })
      }
    />
  );
}
