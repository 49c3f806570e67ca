// The role of a person or a team, changed at once; it can be taken back.
import type { Call } from '../../api/call.ts';
import { useChange } from '../../api/read.ts';
import { SelectInput } from '../../ui/input.tsx';
import { toast } from '../../ui/toast-store.ts';
import { ACCESS_TOPICS, roleLabel, type RoleOption } from './access-queries.ts';
import { ACCESS } from './access-words.ts';

export interface RoleSelectProps {
  /** Of the person or the team. */
  name: string;
  role: string;
  roles: readonly RoleOption[];
  toCall: (role: string) => Call;
}

export function RoleSelect({ name, role, roles, toCall }: RoleSelectProps) {
  const change = useChange<string>(toCall, ACCESS_TOPICS);
  const set = (next: string, undoTo: string | undefined) =>
    change.mutate(next, {
      onSuccess: () =>
        toast({
          text: ACCESS.changed(name, roleLabel(next)),
          action:
            undoTo === undefined ? undefined : { label: ACCESS.undo, run: () => set(undoTo, undefined) },
        }),
      onError: ({ message }) => toast({ text: message, tone: 'bad' }),
    });
  const shown = change.isPending ? change.variables : role;
  const options = roles.map(({ value, label }) => ({ value, label }));
  return (
    <SelectInput
      controlSize="sm"
      className="rset__role"
      aria-label={ACCESS.roleOf(name)}
      value={shown}
      onValue={(next) => set(next, role)}
      options={
        options.some(({ value }) => value === shown)
          ? options
          : [...options, { value: shown, label: roleLabel(shown) }]
      }
    />
  );
}
