// Changes what a member may do: base role and custom roles. The difference is shown before it is saved.
import { useState } from 'react';
import { useChange } from '../../api/read.ts';
import type { AccountMember } from '../../api/types/signalbox.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { useMay } from '../../app/me.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { SelectInput } from '../../ui/input.tsx';
import { toast } from '../../ui/toast-store.ts';
import { ChoiceList } from './members-choice.tsx';
import {
  BASE_ROLES,
  isAbove,
  nameOf,
  patchMemberCall,
  useCustomRoles,
  type PatchOperation,
} from './members-queries.ts';
import { INVITE, MEMBER, ROLE_NAMES, ROLE_TEXTS } from './members-words.ts';

interface MemberRoleFormProps {
  member: AccountMember;
  isSelf: boolean;
  ownRole: string;
}

export function MemberRoleForm({ member, isSelf, ownRole }: MemberRoleFormProps) {
  const resource = `member/${member.id}`;
  const may = useMay([
    { action: 'updateRole', resource },
    { action: 'updateCustomRole', resource },
  ]);
  const [mayRole = false, mayCustom = false] = may ?? [];
  // What is never possible for the reader is absent.
  if (!mayRole && !mayCustom) return null;
  return (
    <section>
      <h3>{MEMBER.change}</h3>
      {isAbove(member.role, ownRole) ? (
        <p className="t13 muted">{member.role === 'owner' ? MEMBER.ownerFirst : MEMBER.above}</p>
      ) : (
        <RoleFields
          member={member}
          isSelf={isSelf}
          ownRole={ownRole}
          mayRole={mayRole}
          mayCustom={mayCustom}
        />
      )}
    </section>
  );
}

interface RoleFieldsProps extends MemberRoleFormProps {
  mayRole: boolean;
  mayCustom: boolean;
}

function RoleFields({ member, isSelf, ownRole, mayRole, mayCustom }: RoleFieldsProps) {
  const before = member.customRoles.map(({ key }) => key);
  const [role, setRole] = useState<string>(member.role);
  const [customRoles, setCustomRoles] = useState(before);
  const [isAsking, setAsking] = useState(false);
  const roles = useCustomRoles();
  const operations = operationsOf(member, role, customRoles);
  const call = patchMemberCall(member.id, operations);
  useSayDraft(operations.length === 0 ? undefined : call);
  const save = useChange<void>(() => call, ['member', 'role']);
  const confirm = () =>
    save.mutate(undefined, {
      onSuccess: () => {
        setAsking(false);
        toast({ text: MEMBER.changed(nameOf(member)), tone: 'ok' });
      },
    });
  return (
    <div className="stack">
      {mayRole && (
        <Field label={INVITE.role} help={ROLE_TEXTS[role]}>
          <SelectInput
            value={role}
            onValue={setRole}
            options={BASE_ROLES.map((one) => ({
              value: one,
              label: ROLE_NAMES[one] ?? one,
              isDisabled: isAbove(one, ownRole),
            }))}
          />
        </Field>
      )}
      {mayCustom && (
        <ChoiceList
          label={INVITE.customRoles}
          help={INVITE.customHelp}
          given={roles.data}
          chosen={customRoles}
          onChange={setCustomRoles}
        />
      )}
      <div>
        <Button
          disabledReason={operations.length === 0 ? MEMBER.noChange : undefined}
          onClick={() => {
            save.reset();
            setAsking(true);
          }}
        >
          {MEMBER.save}
        </Button>
      </div>
      {isAsking && (
        <ConfirmDialog
          title={MEMBER.confirm.title(nameOf(member))}
          confirmLabel={MEMBER.confirm.button}
          isBusy={save.isPending}
          error={save.error ?? undefined}
          onConfirm={confirm}
          onClose={() => setAsking(false)}
        >
          <Difference member={member} role={role} customRoles={customRoles} />
          <p className="muted">{MEMBER.confirm.effect}</p>
          {isSelf && <Banner tone="warn">{MEMBER.confirm.yourself}</Banner>}
        </ConfirmDialog>
      )}
    </div>
  );
}

/** The patch checks that nobody has changed it in the meantime. */
function operationsOf(member: AccountMember, role: string, customRoles: readonly string[]): PatchOperation[] {
  const before = member.customRoles.map(({ key }) => key);
  const isSame = before.length === customRoles.length && before.every((key) => customRoles.includes(key));
  return [
    ...(role === member.role
      ? []
      : ([
          { op: 'test', path: '/role', value: member.role },
          { op: 'replace', path: '/role', value: role },
        ] as const)),
    ...(isSame
      ? []
      : ([
          { op: 'test', path: '/customRoles', value: before },
          { op: 'replace', path: '/customRoles', value: customRoles },
        ] as const)),
  ];
}

interface DifferenceProps {
  member: AccountMember;
  role: string;
  customRoles: readonly string[];
}

function Difference({ member, role, customRoles }: DifferenceProps) {
  const before = member.customRoles.map(({ key }) => key);
  const added = customRoles.filter((key) => !before.includes(key));
  const removed = before.filter((key) => !customRoles.includes(key));
  const nameOfRole = (one: string) => ROLE_NAMES[one] ?? one;
  return (
    <ul className="stack stack--4 members__list">
      {role !== member.role && (
        <li>
          {MEMBER.confirm.role(nameOfRole(member.role), nameOfRole(role))}{' '}
          <span className="muted">{ROLE_TEXTS[role]}</span>
        </li>
      )}
      {added.length > 0 && <li>{MEMBER.confirm.added(added.join(', '))}</li>}
      {removed.length > 0 && <li>{MEMBER.confirm.removed(removed.join(', '))}</li>}
    </ul>
  );
}
