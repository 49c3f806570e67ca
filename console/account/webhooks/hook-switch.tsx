// Turns a webhook or an integration on or off.
import { useChange } from '../../api/read.ts';
import { useMay } from '../../app/me.ts';
import { Switch } from '../../ui/choice.tsx';
import { toast } from '../../ui/toast-store.ts';
import { CHANGED, hookPatch, type Hook } from './webhooks-queries.ts';
import { HOOKS } from './webhooks-words.ts';

export function HookSwitch({ hook }: { hook: Hook }) {
  const may = useMay([{ action: 'updateOn', resource: hook.resource }]);
  const change = useChange<boolean>(
    (isOn) => hookPatch(hook, [{ op: 'replace', path: '/on', value: isOn }]),
    CHANGED,
  );
  const isOn = change.isPending ? change.variables : hook.isOn;
  return (
    <Switch
      isOn={isOn}
      label={HOOKS.switchOf(hook.name === '' ? HOOKS.unnamed : hook.name)}
      reason={may?.[0] === false ? HOOKS.mayNot('updateOn') : undefined}
      onChange={(next) =>
        change.mutate(next, { onError: ({ message }) => toast({ text: message, tone: 'bad' }) })
      }
    />
  );
}
